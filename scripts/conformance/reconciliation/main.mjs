// Checks the two reconciliation APIs of a running `truename serve` against the official schemas and the text of the specifications.
//
//     node scripts/conformance/reconciliation/main.mjs MODULES ROOT_OF_MESH ROOT_OF_ODD
//
// MODULES is a folder in which `npm install ajv ajv-formats` was run. The roots are addresses below which `/0.2` and `/1.0` lie, such as
// http://127.0.0.1:8751/reconcile: of the bundled knowledge base, and of one imported from `odd.jsonl`. Exit code 1 if a check fails.

import { createRequire } from "node:module"
import path from "node:path"

import { mesh, odd } from "./bases.mjs"
import { Checks } from "./checks.mjs"
import { Specification } from "./specification.mjs"
import * as v0_2 from "./v0_2.mjs"
import * as v1_0 from "./v1_0.mjs"

const [modules, meshRoot, oddRoot] = process.argv.slice(2)
const require = createRequire(path.join(path.resolve(modules), "package.json"))
const [Ajv, addFormats] = [require("ajv").default, require("ajv-formats").default]

let hasFailures = false

async function report(title, body) {
    const checks = new Checks()
    await checks.check("all checks run", () => body(checks))
    console.log(`${title}: ${checks.passed} checks passed, ${checks.failures.length} failed`)
    for (const failure of checks.failures) console.log(`    ${failure}`)
    hasFailures ||= checks.failures.length > 0
}

for (const [version, path, service] of [["0.2", "0.2", v0_2], ["1.0-draft", "1.0", v1_0]]) {
    const specification = new Specification(version, Ajv, addFormats)
    await report(`${version}, official examples`, checks => specification.checkExamples(checks))
    await report(`${version}, bundled knowledge base`, checks => service.checkMesh(checks, `${meshRoot}/${path}`, specification, mesh))
    await report(`${version}, namesakes and odd ids`, checks => service.checkOdd(checks, `${oddRoot}/${path}`, specification, odd))
}
process.exit(hasFailures ? 1 : 0)
