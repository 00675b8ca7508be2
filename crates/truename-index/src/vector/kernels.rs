//! The two inner loops of a search, in the widest instructions of the processor.
//!
//! Both work on whole numbers, so every kernel gives the same answer to the bit. This is the one file of the
//! crate with `unsafe` in it: loads and stores of whole registers, and calls of functions that need instructions
//! whose presence was checked.

/// Rows whose signs are interleaved: word 0 of eight rows, word 1 of the same eight, and so on, so that one cache line
/// holds one 64-bit word of each and a register counts for several rows at once.
pub(crate) const GROUP: usize = 8;
/// Bytes of one word of a group.
const WORDS: usize = 8 * GROUP;
/// Bytes of a cache line.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;
/// Words after which counts kept in bytes must be widened: 31 · 8 bits still fit.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const BYTE_WORDS: usize = 31;

/// A set of instructions that this processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kernel(Level);

/// Private, so that only [`Kernel::available`] makes one, after checking the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "aarch64")]
    Neon,
}

impl Kernel {
    /// Returns the kernels that run here, from the slowest to the fastest.
    pub(crate) fn available() -> Vec<Self> {
        let mut levels = vec![Level::Portable];
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            levels.push(Level::Avx2);
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vpopcntdq") {
                levels.push(Level::Avx512);
            }
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            levels.push(Level::Neon);
        }
        levels.into_iter().map(Self).collect()
    }

    /// Returns the fastest kernel that runs here.
    pub(crate) fn best() -> Self {
        Self::available().pop().unwrap_or(Self(Level::Portable))
    }

    /// Computes the Hamming distances of a query to interleaved rows.
    ///
    /// # Shapes
    /// `query`: `[words]`; `bits`: `[groups, words, GROUP]` little-endian words; `distances`: `[groups · GROUP]`.
    #[allow(unsafe_code)]
    pub(crate) fn distances(self, query: &[u64], bits: &[u8], distances: &mut [u16]) {
        assert!(!query.is_empty() && bits.len() == query.len() * 8 * distances.len());
        match self.0 {
            Level::Portable => portable::distances(query, bits, distances),
            // SAFETY: `available` found AVX2.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { x86::distances_avx2(query, bits, distances) },
            // SAFETY: `available` found AVX-512F and AVX-512VPOPCNTDQ.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { x86::distances_avx512(query, bits, distances) },
            // SAFETY: `available` found NEON.
            #[cfg(target_arch = "aarch64")]
            Level::Neon => unsafe { neon::distances(query, bits, distances) },
        }
    }

    /// Returns the dot product of a query's codes and a row's, which are `i8` kept as bytes.
    ///
    /// # Shapes
    /// `query`, `codes`: `[dimensions]`. The sum of the products' magnitudes must fit an `i32`.
    #[allow(unsafe_code)]
    pub(crate) fn dot(self, query: &[i16], codes: &[u8]) -> i32 {
        assert_eq!(query.len(), codes.len());
        match self.0 {
            Level::Portable => portable::dot(query, codes),
            // SAFETY: `available` found AVX2, also for the wider level.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 | Level::Avx512 => unsafe { x86::dot_avx2(query, codes) },
            // SAFETY: `available` found NEON.
            #[cfg(target_arch = "aarch64")]
            Level::Neon => unsafe { neon::dot(query, codes) },
        }
    }
}

/// Prefetches bytes that will be read soon, where the processor can.
#[inline]
#[allow(unsafe_code)]
pub(crate) fn prefetch(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    for line in bytes.chunks(LINE) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 has SSE; a prefetch reads nothing that the program sees, and never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bytes;
}

/// Returns the bits of each group with the places of its distances.
fn groups<'a>(
    words: usize,
    bits: &'a [u8],
    distances: &'a mut [u16],
) -> impl Iterator<Item = (&'a [u8], &'a mut [u16; GROUP])> {
    bits.chunks_exact(words * WORDS).zip(distances.as_chunks_mut::<GROUP>().0)
}

/// Plain Rust; also the tail of the others.
mod portable {
    use super::{GROUP, WORDS, groups};

    pub(super) fn distances(query: &[u64], bits: &[u8], distances: &mut [u16]) {
        for (group, distances) in groups(query.len(), bits, distances) {
            let mut sums = [0u32; GROUP];
            for (query, words) in query.iter().zip(group.as_chunks::<WORDS>().0) {
                for (sum, word) in sums.iter_mut().zip(words.as_chunks::<8>().0) {
                    *sum += (u64::from_le_bytes(*word) ^ query).count_ones();
                }
            }
            *distances = sums.map(|sum| sum as u16);
        }
    }

    pub(super) fn dot(query: &[i16], codes: &[u8]) -> i32 {
        query.iter().zip(codes).map(|(query, code)| i32::from(*query) * i32::from(*code as i8)).sum()
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod x86 {
    use std::arch::x86_64::*;

    use super::{BYTE_WORDS, GROUP, WORDS, groups, portable};

    /// Distance of prefetching in the scan: a page, because the processor looks no further by itself. For a million rows
    /// it saves a tenth of the time.
    const PREFETCH_BYTES: usize = 4096;

    /// As [`super::Kernel::distances`]: bits of each half byte are looked up (Muła, Kurz and Lemire 2018).
    #[target_feature(enable = "avx2")]
    pub(super) fn distances_avx2(query: &[u64], bits: &[u8], distances: &mut [u16]) {
        for (group, distances) in groups(query.len(), bits, distances) {
            let (mut low, mut high) = (_mm256_setzero_si256(), _mm256_setzero_si256());
            for (query, words) in query.chunks(BYTE_WORDS).zip(group.chunks(BYTE_WORDS * WORDS)) {
                let (few, more) = count_bytes(query, words);
                low = _mm256_add_epi64(low, _mm256_sad_epu8(few, _mm256_setzero_si256()));
                high = _mm256_add_epi64(high, _mm256_sad_epu8(more, _mm256_setzero_si256()));
            }
            store_distances(low, high, distances);
        }
    }

    /// Counts bits that differ from the query, byte by byte, in the first four rows of a group and in the others.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn count_bytes(query: &[u64], words: &[u8]) -> (__m256i, __m256i) {
        let (mut low, mut high) = (_mm256_setzero_si256(), _mm256_setzero_si256());
        for (query, words) in query.iter().zip(words.as_chunks::<WORDS>().0) {
            let query = _mm256_set1_epi64x(*query as i64);
            let [first, second] = halves(words);
            low = _mm256_add_epi8(low, count_ones(_mm256_xor_si256(first, query)));
            high = _mm256_add_epi8(high, count_ones(_mm256_xor_si256(second, query)));
        }
        (low, high)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn count_ones(bytes: __m256i) -> __m256i {
        let counts = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
        let nibble = _mm256_set1_epi8(15);
        let low = _mm256_and_si256(bytes, nibble);
        let high = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), nibble);
        _mm256_add_epi8(_mm256_shuffle_epi8(counts, low), _mm256_shuffle_epi8(counts, high))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn halves(words: &[u8; WORDS]) -> [__m256i; 2] {
        let words: *const __m256i = words.as_ptr().cast();
        // A prefetch reads nothing that the program sees, and never faults, even past the end.
        _mm_prefetch::<_MM_HINT_T0>(words.cast::<i8>().wrapping_add(PREFETCH_BYTES));
        // SAFETY: the array has 64 bytes, two registers of 32; `loadu` needs no alignment.
        unsafe { [_mm256_loadu_si256(words), _mm256_loadu_si256(words.add(1))] }
    }

    /// Narrows four 64-bit sums in each register to eight distances in the order of the rows.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn store_distances(low: __m256i, high: __m256i, distances: &mut [u16; GROUP]) {
        let interleaved = _mm256_or_si256(low, _mm256_slli_epi64::<32>(high));
        let sums = _mm256_permutevar8x32_epi32(interleaved, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7));
        let narrow = _mm_packus_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
        // SAFETY: the array has 16 bytes; `storeu` needs no alignment.
        unsafe { _mm_storeu_si128(distances.as_mut_ptr().cast(), narrow) };
    }

    /// As [`super::Kernel::distances`].
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    pub(super) fn distances_avx512(query: &[u64], bits: &[u8], distances: &mut [u16]) {
        for (group, distances) in groups(query.len(), bits, distances) {
            let mut sums = _mm512_setzero_si512();
            for (query, words) in query.iter().zip(group.as_chunks::<WORDS>().0) {
                _mm_prefetch::<_MM_HINT_T0>(words.as_ptr().cast::<i8>().wrapping_add(PREFETCH_BYTES));
                // SAFETY: the array has 64 bytes, one register; `loadu` needs no alignment.
                let words = unsafe { _mm512_loadu_si512(words.as_ptr().cast()) };
                let differing = _mm512_xor_si512(words, _mm512_set1_epi64(*query as i64));
                sums = _mm512_add_epi64(sums, _mm512_popcnt_epi64(differing));
            }
            // SAFETY: eight sums of 16 bits fill the array of 16 bytes; `storeu` needs no alignment.
            unsafe { _mm_storeu_si128(distances.as_mut_ptr().cast(), _mm512_cvtepi64_epi16(sums)) };
        }
    }

    /// As [`super::Kernel::dot`], sixteen codes at once.
    #[target_feature(enable = "avx2")]
    pub(super) fn dot_avx2(query: &[i16], codes: &[u8]) -> i32 {
        let ((query, query_tail), (codes, codes_tail)) = (query.as_chunks::<16>(), codes.as_chunks::<16>());
        let mut sums = _mm256_setzero_si256();
        for (query, codes) in query.iter().zip(codes) {
            // SAFETY: the arrays have 32 and 16 bytes; `loadu` needs no alignment.
            let (query, codes) =
                unsafe { (_mm256_loadu_si256(query.as_ptr().cast()), _mm_loadu_si128(codes.as_ptr().cast())) };
            sums = _mm256_add_epi32(sums, _mm256_madd_epi16(query, _mm256_cvtepi8_epi16(codes)));
        }
        let four = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
        let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b00_00_11_10>(four));
        let one = _mm_add_epi32(two, _mm_shuffle_epi32::<1>(two));
        _mm_cvtsi128_si32(one) + portable::dot(query_tail, codes_tail)
    }
}

#[cfg(target_arch = "aarch64")]
#[allow(unsafe_code)]
mod neon {
    use std::arch::aarch64::*;

    use super::{BYTE_WORDS, GROUP, WORDS, groups, portable};

    /// As [`super::Kernel::distances`], two rows a register.
    #[target_feature(enable = "neon")]
    pub(super) fn distances(query: &[u64], bits: &[u8], distances: &mut [u16]) {
        for (group, distances) in groups(query.len(), bits, distances) {
            let mut sums = [0u64; GROUP];
            for (query, words) in query.chunks(BYTE_WORDS).zip(group.chunks(BYTE_WORDS * WORDS)) {
                for (sums, bytes) in sums.as_chunks_mut::<2>().0.iter_mut().zip(count_bytes(query, words)) {
                    let pair = vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(bytes)));
                    sums[0] += vgetq_lane_u64::<0>(pair);
                    sums[1] += vgetq_lane_u64::<1>(pair);
                }
            }
            *distances = sums.map(|sum| sum as u16);
        }
    }

    /// Counts bits that differ from the query, byte by byte, in each pair of rows of a group.
    #[inline]
    #[target_feature(enable = "neon")]
    fn count_bytes(query: &[u64], words: &[u8]) -> [uint8x16_t; GROUP / 2] {
        let mut sums = [vdupq_n_u8(0); GROUP / 2];
        for (query, words) in query.iter().zip(words.as_chunks::<WORDS>().0) {
            let query = vreinterpretq_u8_u64(vdupq_n_u64(*query));
            for (sum, pair) in sums.iter_mut().zip(words.as_chunks::<16>().0) {
                // SAFETY: the array has 16 bytes, one register.
                let pair = unsafe { vld1q_u8(pair.as_ptr()) };
                *sum = vaddq_u8(*sum, vcntq_u8(veorq_u8(pair, query)));
            }
        }
        sums
    }

    /// As [`super::Kernel::dot`], eight codes at once.
    #[target_feature(enable = "neon")]
    pub(super) fn dot(query: &[i16], codes: &[u8]) -> i32 {
        let ((query, query_tail), (codes, codes_tail)) = (query.as_chunks::<8>(), codes.as_chunks::<8>());
        let mut sums = vdupq_n_s32(0);
        for (query, codes) in query.iter().zip(codes) {
            // SAFETY: the arrays have 16 and 8 bytes, what the loads read.
            let (query, codes) = unsafe { (vld1q_s16(query.as_ptr()), vld1_s8(codes.as_ptr().cast())) };
            let codes = vmovl_s8(codes);
            sums = vmlal_s16(sums, vget_low_s16(query), vget_low_s16(codes));
            sums = vmlal_s16(sums, vget_high_s16(query), vget_high_s16(codes));
        }
        vaddvq_s32(sums) + portable::dot(query_tail, codes_tail)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the slow twin: every bit of every row by itself.
    fn distance(query: &[u64], bits: &[u8], row: usize) -> u16 {
        let differs = |bit: usize| {
            let byte = (row / GROUP * query.len() + bit / 64) * WORDS + row % GROUP * 8 + bit % 64 / 8;
            (query[bit / 64] >> (bit % 64) & 1) as u8 != bits[byte] >> (bit % 8) & 1
        };
        (0..64 * query.len()).filter(|bit| differs(*bit)).count() as u16
    }

    fn rows() -> impl Strategy<Value = (Vec<u64>, Vec<u8>)> {
        (1usize..70, 0usize..5).prop_flat_map(|(words, groups)| {
            (prop::collection::vec(any::<u64>(), words), prop::collection::vec(any::<u8>(), words * groups * WORDS))
        })
    }

    fn codes() -> impl Strategy<Value = (Vec<i16>, Vec<u8>)> {
        (0usize..500).prop_flat_map(|dimensions| {
            (prop::collection::vec(-32_767i16.., dimensions), prop::collection::vec(any::<u8>(), dimensions))
        })
    }

    proptest! {
        #[test]
        fn every_kernel_counts_every_bit((query, bits) in rows()) {
            let rows = bits.len() / (8 * query.len());
            let expected: Vec<u16> = (0..rows).map(|row| distance(&query, &bits, row)).collect();
            for kernel in Kernel::available() {
                let mut found = vec![0; rows];
                kernel.distances(&query, &bits, &mut found);
                prop_assert_eq!(&found, &expected, "{:?}", kernel);
            }
        }

        #[test]
        fn every_kernel_multiplies_every_code((query, codes) in codes()) {
            let product = |(query, code): (&i16, &u8)| f64::from(*query) * f64::from(*code as i8);
            let expected: f64 = query.iter().zip(&codes).map(product).sum();
            for kernel in Kernel::available() {
                prop_assert_eq!(f64::from(kernel.dot(&query, &codes)), expected, "{:?}", kernel);
            }
        }
    }

    #[test]
    fn counts_do_not_overflow_where_every_bit_differs() {
        for (kernel, words) in Kernel::available().into_iter().flat_map(|kernel| [1, 31, 32, 511].map(|w| (kernel, w)))
        {
            let mut found = vec![0; 2 * GROUP];
            kernel.distances(&vec![u64::MAX; words], &vec![0; 2 * words * WORDS], &mut found);
            assert_eq!(found, [64 * words as u16; 2 * GROUP], "{kernel:?}");
        }
    }

    #[test]
    fn unaligned_rows_count_alike() {
        let bytes: Vec<u8> = (0..WORDS + 1).map(|at| at as u8).collect();
        for kernel in Kernel::available() {
            let mut found = [0; GROUP];
            kernel.distances(&[0], &bytes[1..], &mut found);
            let ones = |row: usize| bytes[1 + 8 * row..][..8].iter().map(|byte| byte.count_ones() as u16).sum();
            assert_eq!(found, std::array::from_fn::<u16, GROUP, _>(ones), "{kernel:?}");
        }
    }
}
