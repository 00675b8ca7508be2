//! Reads clusters of names or of their mentions: tables, and the lines of CUVA.

use std::collections::HashMap;
use std::path::Path;

use truename_read::{Source, TableOptions};

use crate::Error;
use crate::table::{FileKind, Rows};

const KIND: FileKind = FileKind {
    nothing: Some("no clusters"),
    hint: || {
        "clusters are a table with the columns `name` and `cluster`, or lines of `cluster TAB size TAB name TAB name …`"
            .into()
    },
};

/// Names with the clusters that they belong to.
///
/// The unit of scores is an element: a name, or one mention of a name written `name|number`, as CESI and CUVA number the
/// triple of a mention. Elements are mentions where every entry of a file ends so.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clusters {
    names: Vec<String>,
    pub(super) elements: Vec<Element>,
    clusters: Vec<String>,
}

/// A name, or a mention of one, with its clusters.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Element {
    /// Position of the name in [`Clusters::names`].
    pub name: usize,
    /// Positions of its clusters, ascending; several where gold lists it in several.
    pub clusters: Vec<usize>,
}

impl Clusters {
    /// Reads clusters: a table with a header and the columns `name` and `cluster` (in capitals or not, by comma, semicolon,
    /// tab or `|`), or CUVA's lines of `cluster TAB size TAB element TAB element …`. An element that is listed twice in a
    /// cluster counts once.
    ///
    /// # Errors
    /// If the file cannot be read, is of neither form, is not UTF-8, or has a row without a name or without a cluster.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let entries = KIND.read_utf8(path, |source| {
            let beginning = source.beginning_text();
            let is_said = |line: &str| line.trim_start_matches('"').to_lowercase().starts_with("sep=");
            let first = beginning.lines().find(|line| !line.trim().is_empty() && !is_said(line)).unwrap_or_default();
            let is_header = ["name", "cluster"].iter().all(|column| first.to_lowercase().contains(column));
            if is_header { table_entries(source) } else { line_entries(source) }
        })?;
        Ok(Self::new(entries))
    }

    /// Creates clusters from entries of an element and its cluster.
    pub fn new(entries: Vec<(String, String)>) -> Self {
        let are_mentions = entries.iter().all(|(element, _)| mentioned(element).is_some());
        let (mut names, mut elements, mut clusters) = (Numbers::default(), Numbers::default(), Numbers::default());
        let mut found = Self::default();
        for (element, cluster) in entries {
            let name = if are_mentions { mentioned(&element).unwrap_or(&element) } else { &element };
            let (name, cluster) = (names.number(name), clusters.number(&cluster));
            let at = elements.number(&element);
            if at == found.elements.len() {
                found.elements.push(Element { name, clusters: Vec::new() });
            }
            let known = &mut found.elements[at].clusters;
            if let Err(place) = known.binary_search(&cluster) {
                known.insert(place, cluster);
            }
        }
        Self { names: names.keys, clusters: clusters.keys, ..found }
    }

    /// The names, each once, in the order of the file.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The names of the clusters, in the order of the file.
    pub fn clusters(&self) -> &[String] {
        &self.clusters
    }

    /// Number of elements of each name: its mentions, or 1.
    pub fn counts(&self) -> Vec<u64> {
        let mut counts = vec![0; self.names.len()];
        self.elements.iter().for_each(|element| counts[element.name] += 1);
        counts
    }

    /// Returns the cluster of each name of `gold`, a position in [`Clusters::clusters`]; `None` for a name that is not here.
    ///
    /// # Errors
    /// The name of `gold` that is in several clusters here.
    pub fn labels<'a>(&self, gold: &'a Self) -> Result<Vec<Option<usize>>, &'a str> {
        let mut of: HashMap<&str, Vec<usize>> = HashMap::new();
        for element in &self.elements {
            let known = of.entry(&self.names[element.name]).or_default();
            known.extend(&element.clusters);
        }
        let label = |name: &'a String| match of.get(name.as_str()) {
            None => Ok(None),
            Some(clusters) if clusters.iter().all(|cluster| *cluster == clusters[0]) => Ok(clusters.first().copied()),
            Some(_) => Err(name.as_str()),
        };
        gold.names.iter().map(label).collect()
    }
}

/// Numbers of strings, in the order of their first appearance.
#[derive(Default)]
struct Numbers {
    keys: Vec<String>,
    of: HashMap<String, usize>,
}

impl Numbers {
    fn number(&mut self, key: &str) -> usize {
        if let Some(number) = self.of.get(key) {
            return *number;
        }
        self.keys.push(key.to_owned());
        self.of.insert(key.to_owned(), self.keys.len() - 1);
        self.keys.len() - 1
    }
}

/// Returns the name of a mention written `name|number`.
fn mentioned(element: &str) -> Option<&str> {
    let (name, number) = element.rsplit_once('|')?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) && !name.is_empty()).then_some(name)
}

fn table_entries(source: Source) -> Result<Vec<(String, String)>, Error> {
    let options = TableOptions { wanted: &[&["name"], &["cluster"]], ..TableOptions::default() };
    let rows = Rows::open(source, &options, &KIND)?;
    let (name, cluster) = (rows.column("name")?, rows.column("cluster")?);
    rows.read(|row| {
        let cell = |at: usize, what: &str| match row.get(at).map(str::trim).filter(|cell| !cell.is_empty()) {
            Some(cell) => Ok(cell.to_owned()),
            None => Err(format!("a row without a {what}")),
        };
        Ok((cell(name, "name")?, cell(cluster, "cluster")?))
    })
}

fn line_entries(source: Source) -> Result<Vec<(String, String)>, Error> {
    let lines = KIND.lines(source, |line, text| {
        let cells: Vec<&str> = text.split('\t').map(str::trim).collect();
        let (Some(cluster), Some(size)) = (cells.first(), cells.get(1).and_then(|size| size.parse::<usize>().ok()))
        else {
            return Err(match line {
                1 => "no columns \"name\" and \"cluster\" in the header, and no size after a first tab".into(),
                _ => "no size of the cluster after the first tab".into(),
            });
        };
        let elements = &cells[2..];
        if elements.len() != size || elements.iter().any(|element| element.is_empty()) {
            return Err(format!("cluster \"{cluster}\" of size {size} lists {} names", elements.len()));
        }
        let entries = elements.iter().map(|element| ((*element).to_owned(), (*cluster).to_owned()));
        Ok(Some(entries.collect::<Vec<_>>()))
    });
    Ok(lines?.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: impl AsRef<[u8]>) -> Result<Clusters, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        Clusters::read(&path)
    }

    #[test]
    fn tables_and_lines_of_one_clustering_are_equal() {
        let expected = Clusters::new(
            [("aids", "1"), ("hiv, aids", "1"), ("flu", "2")]
                .map(|(name, cluster)| (name.into(), cluster.into()))
                .into(),
        );
        assert_eq!((expected.names().len(), expected.clusters().len(), expected.counts()), (3, 2, vec![1, 1, 1]));
        let files = [
            ("gold.csv", "Name,Cluster\naids,1\n\"hiv, aids\",1\nflu,2\n"),
            ("gold.tsv", "cluster\tname\tsource\n1\taids\tx\n1\thiv, aids\n2\tflu\ty\n"),
            ("gold.txt", "\u{FEFF}1\t2\taids\thiv, aids\r\n\r\n2\t1\tflu\n"),
            ("gold.csv", "cluster;name\n1;aids\n1;hiv, aids\n1;aids\n2;flu\n"),
            ("gold.csv", "\"sep=;\"\n\ncluster;name\n1;aids\n1;hiv, aids\n2;flu\n"),
        ];
        for (name, text) in files {
            assert_eq!(read(name, text).unwrap(), expected, "{text:?}");
        }
    }

    #[test]
    fn mentions_are_counted_and_share_a_name() {
        let gold = read("gold.txt", "a\t3\tflu|1\tflu|7\thiv|2\nb\t1\taids|1\n").unwrap();
        assert_eq!((gold.names(), gold.counts()), (&["flu", "hiv", "aids"].map(str::to_owned)[..], vec![2, 1, 1]));
        // A name that ends in no number: none is a mention.
        let gold = read("gold.txt", "a\t2\tflu|1\tflu\n").unwrap();
        assert_eq!(gold.names(), ["flu|1", "flu"]);
    }

    #[test]
    fn an_element_may_have_several_gold_clusters_but_one_found() {
        let gold = read("gold.csv", "name,cluster\nflu,1\nflu,2\nhiv,2\n").unwrap();
        assert_eq!(gold.elements[0].clusters, [0, 1]);
        assert_eq!(gold.labels(&gold), Err("flu"));
        let found = read("found.csv", "name,cluster,canonical\nflu,x,flu\nother,x,flu\n").unwrap();
        assert_eq!(found.labels(&gold), Ok(vec![Some(0), None]));
    }

    #[test]
    fn malformed_files_are_refused_with_their_line() {
        let cases: [(&str, &[u8], &str); 6] = [
            (
                "g.csv",
                b"name,id\na,1\n",
                ":1: no columns \"name\" and \"cluster\" in the header, and no size after a first tab",
            ),
            ("g.csv", b"name,cluster\na,1\n,2\n", ":3: a row without a name"),
            ("g.csv", b"name,cluster\na\n", ":2: a row without a cluster"),
            ("g.csv", b"name,cluster\na,b,1\n", ":2: row has 3 cells, the header has 2"),
            ("g.csv", b"name,cluster\n", ":1: no clusters"),
            ("g.txt", b"x\t2\ta\tb\ny\t2\tc\n", ":2: cluster \"y\" of size 2 lists 1 names"),
        ];
        for (name, text, message) in cases {
            let error = read(name, text).unwrap_err();
            assert!(error.to_string().ends_with(message), "{error}");
            assert!(error.hint().unwrap().to_string().contains("`name` and `cluster`"));
        }
        for (text, message) in [
            (&b"x\t1\t\xff\n"[..], ":1: byte 5 of the line is not UTF-8"),
            (b"name,cluster\nx,\xff", ":2: byte 3 of the line"),
        ] {
            let error = read("g.csv", text).unwrap_err();
            assert!(error.to_string().contains(message), "{error}");
            assert!(
                error.hint().is_none_or(|hint| !hint.to_string().contains("cluster")),
                "the columns are not the fault"
            );
        }
    }
}
