//! LOINC's tables: `Loinc.csv` or its core, and `MapTo.csv`, which says what became of deprecated codes.

use super::published::{Concepts, Description, PublishedTables, Rows, list, one};

pub(super) const LOINC: PublishedTables = PublishedTables {
    tables: &[
        Description {
            name: "LOINC",
            columns: &["LOINC_NUM", "LONG_COMMON_NAME"],
            rows: Rows::Concepts(Concepts {
                id: "loinc_num",
                names: &[
                    one("long_common_name"),
                    one("shortname"),
                    one("displayname"),
                    one("consumer_name"),
                    list("relatednames2", ';'),
                ],
                types: &[one("class")],
                definition: "definitiondescription",
                retired: ("status", &["DEPRECATED"]),
                ..Concepts::DEFAULT
            }),
            ..Description::DEFAULT
        },
        Description {
            name: "LOINC's mappings",
            columns: &["LOINC", "MAP_TO"],
            rows: Rows::Former { id: "loinc", replaced_by: "map_to", is_removed: false },
            ..Description::DEFAULT
        },
    ],
    ..PublishedTables::DEFAULT
};
