//! Names of a block that have an n-gram: a sorted list, or a bitmap where that is smaller.

/// Names in a block: as many as a `u16` has values.
pub(crate) const BLOCK: usize = 1 << 16;
/// Bytes of a bitmap over a block. A list this long or longer is kept as a bitmap, so the length of the
/// stored bytes determines the kind (the rule of Roaring bitmaps, Chambi et al. 2016).
const BITMAP_BYTES: usize = BLOCK / 8;

/// Borrowed postings of one n-gram in one block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Postings<'a>(&'a [u8]);

impl<'a> Postings<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    fn is_bitmap(self) -> bool {
        self.0.len() == BITMAP_BYTES
    }

    pub(crate) fn len(self) -> usize {
        if self.is_bitmap() { self.0.iter().map(|byte| byte.count_ones() as usize).sum() } else { self.0.len() / 2 }
    }

    pub(crate) fn contains(self, slot: u16) -> bool {
        if self.is_bitmap() {
            return self.0[usize::from(slot) / 8] >> (slot % 8) & 1 == 1;
        }
        let (mut low, mut high) = (0, self.0.len() / 2);
        while low < high {
            let middle = (low + high) / 2;
            if slot_at(self.0, middle) < slot { low = middle + 1 } else { high = middle }
        }
        low < self.0.len() / 2 && slot_at(self.0, low) == slot
    }

    pub(crate) fn for_each(self, mut visit: impl FnMut(u16)) {
        if !self.is_bitmap() {
            self.0.chunks_exact(2).for_each(|pair| visit(u16::from_le_bytes([pair[0], pair[1]])));
            return;
        }
        for (word_at, bytes) in self.0.chunks_exact(8).enumerate() {
            let mut word = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
            while word != 0 {
                visit((word_at * 64) as u16 + word.trailing_zeros() as u16);
                word &= word - 1;
            }
        }
    }

    pub(crate) fn to_vec(self) -> Vec<u16> {
        let mut slots = Vec::with_capacity(self.len());
        self.for_each(|slot| slots.push(slot));
        slots
    }
}

fn slot_at(list: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([list[2 * at], list[2 * at + 1]])
}

/// Returns the stored form of `slots`, which are sorted and distinct.
pub(crate) fn encode(slots: &[u16]) -> Vec<u8> {
    if 2 * slots.len() < BITMAP_BYTES {
        return slots.iter().flat_map(|slot| slot.to_le_bytes()).collect();
    }
    let mut bitmap = vec![0; BITMAP_BYTES];
    for slot in slots {
        bitmap[usize::from(*slot) / 8] |= 1 << (slot % 8);
    }
    bitmap
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_bitmaps_hold_the_same() {
        for step in [1, 2, 15, 16, 17, 5000] {
            let slots: Vec<u16> = (0..=u16::MAX).step_by(step).collect();
            let bytes = encode(&slots);
            assert!(bytes.len() <= BITMAP_BYTES);
            let postings = Postings::new(&bytes);
            assert_eq!(postings.to_vec(), slots);
            assert_eq!(postings.len(), slots.len());
            assert!((0..=u16::MAX).all(|slot| postings.contains(slot) == (usize::from(slot) % step == 0)));
        }
    }
}
