//! Tables: typed keys and values in the order of the bytes of the keys.

use std::ops::RangeBounds;

use heed::{Database, PutFlags};

use crate::error::failed;
use crate::stored::Codec;
use crate::{Error, Item, Stored, Transaction, WriteTransaction};

/// A key with its value, or the error of reading them.
pub type Entry<'txn, K, V> = Result<(Item<'txn, K>, Item<'txn, V>), Error>;

/// A table of an environment, from keys to values, in the order of the keys' bytes. A copy is another handle to the
/// same table.
///
/// Every operation fails if the storage does, and panics if the transaction is of another environment.
pub struct Table<K: Stored + ?Sized, V: Stored + ?Sized>(pub(crate) Database<Codec<K>, Codec<V>>);

impl<K: Stored + ?Sized, V: Stored + ?Sized> Clone for Table<K, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: Stored + ?Sized, V: Stored + ?Sized> Copy for Table<K, V> {}

impl<K: Stored + ?Sized, V: Stored + ?Sized> Table<K, V> {
    /// Returns the value of a key.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn get<'txn>(self, read: &'txn impl Transaction, key: &K) -> Result<Option<Item<'txn, V>>, Error> {
        self.0.get(read.lmdb(), key).map_err(|source| failed(read.folder(), source))
    }

    /// Returns all entries, in ascending order.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn iter<'txn, T: Transaction>(
        self,
        read: &'txn T,
    ) -> Result<impl Iterator<Item = Entry<'txn, K, V>> + use<'txn, T, K, V>, Error> {
        let error = |source| failed(read.folder(), source);
        let entries = self.0.iter(read.lmdb()).map_err(error)?;
        Ok(entries.map(move |entry| entry.map_err(error)))
    }

    /// Returns the entries with a key of a range, in ascending order.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn range<'txn, T: Transaction, R: RangeBounds<K>>(
        self,
        read: &'txn T,
        range: R,
    ) -> Result<impl Iterator<Item = Entry<'txn, K, V>> + use<'txn, T, R, K, V>, Error> {
        let error = |source| failed(read.folder(), source);
        let entries = self.0.range(read.lmdb(), &range).map_err(error)?;
        Ok(entries.map(move |entry| entry.map_err(error)))
    }

    /// Returns the entries whose key begins with the bytes of `prefix`, in ascending order.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn prefix_iter<'txn, T: Transaction>(
        self,
        read: &'txn T,
        prefix: &K,
    ) -> Result<impl Iterator<Item = Entry<'txn, K, V>> + use<'txn, T, K, V>, Error> {
        let error = |source| failed(read.folder(), source);
        let entries = self.0.prefix_iter(read.lmdb(), prefix).map_err(error)?;
        Ok(entries.map(move |entry| entry.map_err(error)))
    }

    /// Stores a value under a key, in place of an earlier one.
    ///
    /// # Errors
    /// If the storage fails, is full, or the key has no byte or more than 511.
    pub fn put(self, write: &mut WriteTransaction<'_>, key: &K, value: &V) -> Result<(), Error> {
        self.0.put(&mut write.lmdb, key, value).map_err(|source| failed(write.folder, source))
    }

    /// Stores a value under a key that comes after all others. Pages are filled, so that a table takes least space.
    ///
    /// # Errors
    /// As [`Table::put`], or if the key is not the last.
    pub fn append(self, write: &mut WriteTransaction<'_>, key: &K, value: &V) -> Result<(), Error> {
        self.0
            .put_with_flags(&mut write.lmdb, PutFlags::APPEND, key, value)
            .map_err(|source| failed(write.folder, source))
    }

    /// Removes a key. Returns true if it was there.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn delete(self, write: &mut WriteTransaction<'_>, key: &K) -> Result<bool, Error> {
        self.0.delete(&mut write.lmdb, key).map_err(|source| failed(write.folder, source))
    }

    /// Removes the keys of a range. Returns their number.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn delete_range(self, write: &mut WriteTransaction<'_>, range: impl RangeBounds<K>) -> Result<usize, Error> {
        self.0.delete_range(&mut write.lmdb, &range).map_err(|source| failed(write.folder, source))
    }

    /// Removes all keys.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn clear(self, write: &mut WriteTransaction<'_>) -> Result<(), Error> {
        self.0.clear(&mut write.lmdb).map_err(|source| failed(write.folder, source))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Environment, ReadTransaction};

    #[test]
    fn keys_and_values_have_the_documented_bytes() {
        let environment = Environment::scratch(1 << 20).unwrap();
        let mut write = environment.write().unwrap();
        let numbers: Table<u64, u32> = environment.create_table(&mut write, "numbers").unwrap();
        let texts: Table<str, [u8]> = environment.create_table(&mut write, "texts").unwrap();
        numbers.put(&mut write, &0x0102_0304_0506_0708, &0x0a0b_0c0d).unwrap();
        texts.put(&mut write, "é", &[0, 255]).unwrap();
        for (name, key, value) in
            [("numbers", &[1, 2, 3, 4, 5, 6, 7, 8][..], &[10, 11, 12, 13][..]), ("texts", &[0xc3, 0xa9], &[0, 255])]
        {
            let bytes: Table<[u8], [u8]> = environment.open_table(&write, name).unwrap().unwrap();
            assert_eq!(bytes.iter(&write).unwrap().map(Result::unwrap).collect::<Vec<_>>(), [(key, value)]);
        }
        let short: Table<u32, u64> = environment.open_table(&write, "numbers").unwrap().unwrap();
        assert!(short.iter(&write).unwrap().next().unwrap().unwrap_err().is_damaged());
    }

    #[test]
    fn entries_come_in_the_order_of_their_keys() {
        let environment = Environment::scratch(1 << 20).unwrap();
        let mut write = environment.write().unwrap();
        let table: Table<u32, u32> = environment.create_table(&mut write, "table").unwrap();
        [700, 3, 65_536, 255].into_iter().for_each(|key| table.put(&mut write, &key, &(key + 1)).unwrap());
        table.append(&mut write, &70_000, &0).unwrap();
        assert!(table.append(&mut write, &69_999, &0).is_err());
        let keys = |entries: &mut dyn Iterator<Item = Result<(u32, u32), Error>>| -> Vec<u32> {
            entries.map(|entry| entry.unwrap().0).collect()
        };
        assert_eq!(keys(&mut table.iter(&write).unwrap()), [3, 255, 700, 65_536, 70_000]);
        assert_eq!(keys(&mut table.range(&write, 255..65_536).unwrap()), [255, 700]);
        assert_eq!(table.get(&write, &700).unwrap(), Some(701));
        assert!(table.delete(&mut write, &700).unwrap() && !table.delete(&mut write, &700).unwrap());
        assert_eq!(table.delete_range(&mut write, ..=255).unwrap(), 2);
        assert_eq!(keys(&mut table.iter(&write).unwrap()), [65_536, 70_000]);
        table.clear(&mut write).unwrap();
        assert_eq!(keys(&mut table.iter(&write).unwrap()), []);
    }

    #[test]
    fn a_prefix_selects_keys() {
        let environment = Environment::scratch(1 << 20).unwrap();
        let mut write = environment.write().unwrap();
        let table: Table<str, u32> = environment.create_table(&mut write, "table").unwrap();
        for (value, key) in (0..).zip(["a", "ab", "abc", "b"]) {
            table.put(&mut write, key, &value).unwrap();
        }
        let found: Vec<_> = table.prefix_iter(&write, "ab").unwrap().map(Result::unwrap).collect();
        assert_eq!(found, [("ab", 1), ("abc", 2)]);
    }

    #[test]
    fn a_state_is_seen_whole() {
        let environment = Environment::scratch(1 << 20).unwrap();
        let mut write = environment.write().unwrap();
        let table: Table<str, str> = environment.create_table(&mut write, "table").unwrap();
        table.put(&mut write, "key", "old").unwrap();
        write.commit().unwrap();
        let before = environment.read().unwrap();
        let mut write = environment.write().unwrap();
        table.put(&mut write, "key", "new").unwrap();
        let sees = |read: &ReadTransaction<'_>| table.get(read, "key").unwrap().unwrap().to_owned();
        assert_eq!(
            (table.get(&write, "key").unwrap(), sees(&environment.read().unwrap())),
            (Some("new"), "old".into())
        );
        write.commit().unwrap();
        assert_eq!((sees(&before), sees(&environment.read().unwrap())), ("old".into(), "new".into()));
        let mut write = environment.write().unwrap();
        table.clear(&mut write).unwrap();
        drop(write);
        assert_eq!(sees(&environment.read().unwrap()), "new");
    }
}
