// The official JSON schemas and examples.

import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"

import { expect } from "./checks.mjs"

const FOLDER = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "specs")
// Both versions refer to this schema for `authentication`; the two copies of the source are the same.
const SECURITY = path.join(FOLDER, "0.2", "schemas", "openapi.json")
const read = file => JSON.parse(readFileSync(file, "utf8"))

/** Schemas and examples of a version. */
export class Specification {
    constructor(version, Ajv, addFormats) {
        this.folder = path.join(FOLDER, version)
        this.ajv = new Ajv({ strict: false, allErrors: true })
        addFormats(this.ajv)
        this.schemas = {}
        for (const file of new Set([...this.#list("schemas"), SECURITY])) this.#add(file)
    }

    #list(folder) {
        const entries = readdirSync(path.join(this.folder, folder), { withFileTypes: true })
        return entries.filter(entry => entry.isFile()).map(entry => path.join(this.folder, folder, entry.name)).sort()
    }

    #add(file) {
        const schema = read(file)
        this.ajv.addSchema(schema)
        this.schemas[path.basename(file, ".json")] = schema.$id
    }

    /** Checks a document against the schema of a name. */
    validate(name, document, answer) {
        const validate = this.ajv.getSchema(this.schemas[name])
        if (validate(document)) return document
        return expect(false, `not valid by ${name}.json: ${this.ajv.errorsText(validate.errors)}`, answer)
    }

    isValid(name, document) { return this.ajv.getSchema(this.schemas[name])(document) }

    /** Returns examples as pairs of file name and document; `kind` is `valid` or `invalid`. */
    examples(name, kind) {
        try {
            return this.#list(path.join("examples", name, kind)).map(file => [path.basename(file), read(file)])
        } catch (error) {
            if (error.code === "ENOENT") return []
            throw error
        }
    }

    /** Checks that the schemas accept the valid examples and refuse the invalid ones, as the source's own test does. */
    async checkExamples(checks) {
        for (const name of Object.keys(this.schemas)) {
            for (const kind of ["valid", "invalid"]) {
                for (const [file, document] of this.examples(name, kind)) {
                    await checks.check(`example ${name}/${kind}/${file}`, () =>
                        expect(this.isValid(name, document) === (kind === "valid"), "the validator disagrees"))
                }
            }
        }
    }
}
