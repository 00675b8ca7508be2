// Asks a running `truename serve` for mappings through cocoda-sdk's provider `ReconciliationApi`.
//
//     node scripts/conformance/cocoda.mjs http://127.0.0.1:8751 MODULES
//
// MODULES is a folder in which `npm install cocoda-sdk` was run. Exit code 1 if a mapping differs from the table below.

import { createRequire } from "node:module"
import path from "node:path"

const [server, modules] = process.argv.slice(2)
const { cdk, ReconciliationApiProvider } = createRequire(path.join(path.resolve(modules), "package.json"))("cocoda-sdk")

const MESH = "http://id.nlm.nih.gov/mesh/"
// A match becomes skos:exactMatch, another candidate with a score of 80 or more skos:closeMatch.
const EXACT = "http://www.w3.org/2004/02/skos/core#exactMatch"
// Ids of the bundled knowledge base. None: no candidate may be an exact match.
const expected = [
    ["Myocardial Infarction", "D009203"],
    ["heart attack", "D009203"],
    ["type 2 diabetes", "D003924"],
    ["Alzheimer Disease", "D000544"],
    ["flat tyre on the motorway", null],
]

cdk.addProvider(ReconciliationApiProvider)
const registry = cdk.initializeRegistry({
    uri: "urn:truename",
    provider: "ReconciliationApi",
    api: `${server}/reconcile/0.2`,
    schemes: [{ uri: MESH, namespace: MESH }],
})

let failures = 0
for (const [name, id] of expected) {
    const from = { uri: `urn:name:${encodeURIComponent(name)}`, prefLabel: { en: name }, inScheme: [{ uri: "urn:names" }] }
    const mappings = await registry.getMappings({ from, mode: "or" })
    const exact = mappings.filter(mapping => mapping.type[0] === EXACT).map(mapping => mapping.to.memberSet[0].uri)
    const wanted = id === null ? [] : [MESH + id]
    if (JSON.stringify(exact) !== JSON.stringify(wanted)) {
        console.log(`${name}: exact matches ${JSON.stringify(exact)}, expected ${JSON.stringify(wanted)} of ${mappings.length}`)
        failures += 1
    }
}
console.log(`${expected.length} names mapped`)
process.exit(failures ? 1 : 0)
