// What the checks ask of the knowledge bases that are served.

/** The bundled knowledge base: diseases and chemicals of MeSH. */
export const mesh = {
    entity: { id: "D009203", name: "Myocardial Infarction", synonym: "Heart Attack", prefix: "myocard", type: "disease" },
    misspelt: "Myocardial Infarctoin",
    other: { id: "D001241", name: "Aspirin", type: "chemical" },
    /** The only concept of both types. */
    bothTypes: { id: "D065606", name: "Metabolic Side Effects of Drugs and Substances", types: ["disease", "chemical"] },
    absent: "flat tyre on the motorway",
    typePrefix: "dis",
}

/** `odd.jsonl`: namesakes, parents, cross-references, and ids and names that need escaping. */
export const odd = {
    entity: { id: "EX:1", name: "fever", synonym: "pyrexia", prefix: "pyrex", type: "symptom" },
    namesake: { id: "EX:2", type: "musical group", parent: "EX:11", xref: "wikidata:Q42" },
    parent: { id: "EX:10", name: "systemic symptom" },
    awkward: [
        { id: "a/b?c=d&e#f %41+", name: "slashed identifier" },
        { id: "<i>x</i>", name: "<script>alert(1)</script> & \"quotes\"" },
        { id: "発熱-1", name: "発熱" },
    ],
    unescaped: /<script>alert\(1\)|<img src=x|<i>x<\/i>/,
}
