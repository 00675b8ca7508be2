// Reconciliation Service API 1.0-draft.

import { checkCandidates, checkSuggest, first, typeIds } from "./candidates.mjs"
import { equal, expect } from "./checks.mjs"
import { frameable, framedPage, get, ok, preflight, refused, send } from "./client.mjs"

const KINDS = { entity: "suggest-entities-response", type: "suggest-types-response", property: "suggest-properties-response" }

/** A service of version 1.0-draft at a root; every answer is checked against its schema. */
class Service {
    constructor(root, specification) {
        Object.assign(this, { root, specification })
    }

    async manifest() {
        const answer = ok(await get(this.root))
        return this.specification.validate("manifest", answer.json, answer)
    }

    /** Returns the candidates of each query. */
    async results(queries) {
        const answer = ok(await send("POST", `${this.root}/match`, { json: { queries } }))
        const { results } = this.specification.validate("reconciliation-result-batch", answer.json, answer)
        equal(results.length, queries.length, "number of results")
        for (const { candidates } of results) this.#check(candidates, answer)
        return results.map(({ candidates }) => candidates)
    }

    #check(candidates, answer) {
        checkCandidates(candidates, answer)
        for (const { score, features } of candidates) {
            expect(score === undefined || score >= 0 && score <= 100, `standardized score ${score}`, answer)
            for (const feature of features ?? []) expect(feature.name, `feature ${feature.id} has no name`, answer)
        }
    }

    async candidates(conditions, query = {}) { return (await this.results([{ ...query, conditions }]))[0] }

    async extend(query) {
        const answer = ok(await send("POST", `${this.root}/extend`, { json: query }))
        const extension = this.specification.validate("data-extension-response", answer.json, answer)
        equal(extension.rows.map(row => row.id), query.ids, "ids of the rows")
        for (const row of extension.rows) {
            equal(row.properties.map(property => property.id), extension.meta.map(column => column.id), "properties of a row")
        }
        return extension
    }

    async propose(parameters) {
        const answer = ok(await get(`${this.root}/extend/propose`, parameters))
        return this.specification.validate("data-extension-property-proposal", answer.json, answer)
    }

    async suggest(kind, parameters) {
        const answer = ok(await get(`${this.root}/suggest/${kind}`, parameters))
        return this.specification.validate(KINDS[kind], answer.json, answer).result
    }
}

const named = propertyValue => ({ matchType: "name", propertyValue })
const identified = propertyValue => ({ matchType: "id", propertyValue })
const property = (propertyId, propertyValue, more = {}) => ({ matchType: "property", propertyId, propertyValue, ...more })
const viewUrl = (manifest, id) => manifest.view.url.replaceAll("{id}", encodeURIComponent(id))

/** Checks a service at `root` over the bundled knowledge base. */
export async function checkMesh(checks, root, specification, mesh) {
    const service = new Service(root, specification)
    await checkManifest(checks, service)
    await checkOfficialQueries(checks, service)
    await checkMatching(checks, service, mesh)
    await checkBatches(checks, service, mesh)
    await checkSuggest(checks, mesh, (kind, parameters) => service.suggest(kind, parameters), "offset")
    await checkSuggestLimit(checks, service, mesh)
    await checkPages(checks, service, [mesh.entity])
    await checkExtension(checks, service, mesh)
    await checkHttp(checks, service, mesh)
}

/** Checks a service at `root` over `odd.jsonl`. */
export async function checkOdd(checks, root, specification, odd) {
    const service = new Service(root, specification)
    await checkManifest(checks, service)
    await checkConditions(checks, service, odd)
    await checkAwkward(checks, service, odd)
    await checkSuggest(checks, odd, (kind, parameters) => service.suggest(kind, parameters), "offset")
    await checkPages(checks, service, odd.awkward, odd.unescaped)
}

async function checkManifest(checks, service) {
    await checks.check("manifest", async () => {
        const manifest = await service.manifest()
        expect(manifest.versions.includes("1.0-draft"), `versions ${manifest.versions}`)
        expect(!manifest.versions.some(version => version.startsWith("0.")), `versions ${manifest.versions} at one root`)
        equal(manifest.standardizedScore, true, "standardizedScore")
        equal(manifest.suggest, { entity: true, property: true, type: true }, "suggest")
        expect(manifest.extend.proposeProperties === true, "proposeProperties is not true")
        for (const gone of ["identifierSpace", "schemaSpace", "feature_view"]) expect(!(gone in manifest), `${gone} is of version 0.2`)
        for (const feature of ["view", "preview", "defaultTypes", "serviceVersion"]) expect(manifest[feature], `no ${feature}`)
        expect(Number.isInteger(manifest.batchSize) && manifest.batchSize >= 10, `batchSize ${manifest.batchSize}`)
    })
}

async function checkOfficialQueries(checks, service) {
    const url = `${service.root}/match`
    for (const [file, { queries }] of service.specification.examples("reconciliation-query-batch", "valid")) {
        await checks.check(`official query ${file}`, () => service.results(queries))
    }
    for (const [file, batch] of service.specification.examples("reconciliation-query-batch", "invalid")) {
        await checks.check(`official invalid query ${file}`, async () => refused(await send("POST", url, { json: batch })))
    }
    const headers = { "Content-Type": "application/json" }
    for (const body of ["", "{", "null", "[]", "7", "{}", '{"queries":{}}', '{"queries":["text"]}', '{"queries":[{"conditions":[{"matchType":"other","propertyValue":"x"}]}]}']) {
        await checks.check(`body ${body} is refused`, async () => refused(await send("POST", url, { body, headers })))
    }
    for (const limit of [0, -1, 1.5, "many"]) {
        await checks.check(`limit ${JSON.stringify(limit)} is refused: a positive integer`, async () =>
            refused(await send("POST", url, { json: { queries: [{ limit, conditions: [named("x")] }] } })))
    }
    await checks.check("a property condition without propertyId is refused", async () =>
        refused(await send("POST", url, { json: { queries: [{ conditions: [{ matchType: "property", propertyValue: "x" }] }] } })))
    await checks.check("another matchQuantifier is refused", async () =>
        refused(await send("POST", url, { json: { queries: [{ conditions: [{ ...named("x"), matchQuantifier: "some" }] }] } })))
    await checks.check("an empty batch has no results", () => service.results([]))
}

async function checkMatching(checks, service, { entity, misspelt, absent, other }) {
    for (const name of [entity.name, entity.synonym]) {
        await checks.check(`match: ${name}`, async () => first(await service.candidates([named(name)]), entity.id, { match: true }))
    }
    await checks.check("match: misspelt", async () => first(await service.candidates([named(misspelt)]), entity.id))
    await checks.check("match: several names", async () => {
        for (const names of [[absent, entity.name], [entity.synonym, absent]]) {
            first(await service.candidates([named(names)]), entity.id, { match: true })
        }
    })
    await checks.check("match: an id by matchType id", async () => first(await service.candidates([identified(entity.id)]), entity.id, { match: true }))
    await checks.check("match: an id by matchType name", async () => first(await service.candidates([named(entity.id)]), entity.id, { match: true }))
    await checks.check("match: an unknown id has no match", async () =>
        equal((await service.candidates([identified("no such id")])).filter(({ match }) => match), [], "matches"))
    await checks.check("match: none of another subject", async () =>
        equal((await service.candidates([named(absent)])).filter(({ match }) => match), [], "matches"))
    await checks.check("limit", async () => {
        for (const limit of [1, 2, 3]) {
            const found = await service.candidates([named("infarction")], { limit })
            expect(found.length > 0 && found.length <= limit, `${found.length} candidates with limit ${limit}`)
        }
    })
    await checks.check("type", async () => {
        first(await service.candidates([named(entity.name)], { type: entity.type }), entity.id, { match: true })
        const found = await service.candidates([named(other.name)], { type: entity.type })
        equal(found.filter(({ match }) => match), [], "matches of another type")
        equal(found.filter(candidate => !typeIds(candidate).includes(entity.type)), [], "candidates of another type")
    })
}

async function checkBatches(checks, service, { entity, other }) {
    await checks.check("batch: in order, each query as it is answered alone", async () => {
        const names = [entity.name, other.name, "zzzz", entity.id, entity.synonym, "a", "脳卒中", "Hypertension", "Ibuprofen", entity.name]
        const together = await service.results(names.map(name => ({ conditions: [named(name)] })))
        for (const [at, name] of names.entries()) equal(together[at], await service.candidates([named(name)]), `candidates of ${name}`)
    })
    await checks.check("batchSize: a batch of that size is answered, a larger one may be refused with 413", async () => {
        const { batchSize } = await service.manifest()
        const sized = size => Array.from({ length: size }, (_, at) => ({ limit: 1, conditions: [named(`${entity.name} ${at}`)] }))
        await service.results(sized(batchSize))
        const answer = await send("POST", `${service.root}/match`, { json: { queries: sized(batchSize + 1) } })
        expect([200, 413].includes(answer.status), `status ${answer.status}`, answer)
    })
}

async function checkSuggestLimit(checks, service, { entity }) {
    await checks.check("suggest: limit", async () => {
        const prefix = entity.prefix.slice(0, 1)
        const three = await service.suggest("entity", { prefix, limit: 3 })
        equal(three.length, 3, `suggestions for ${prefix} with limit 3`)
        equal(await service.suggest("entity", { prefix, limit: 2, offset: 1 }), three.slice(1), "limit 2 from offset 1")
    })
    for (const wrong of [{ limit: "x" }, { offset: "x" }, { offset: -1 }]) {
        await checks.check(`suggest: ${JSON.stringify(wrong)} is refused`, async () =>
            refused(await get(`${service.root}/suggest/entity`, { prefix: entity.prefix, ...wrong })))
    }
}

async function checkPages(checks, service, entities, unescaped) {
    const manifest = await service.manifest()
    for (const { id, name } of entities) {
        const contains = unescaped ? undefined : name
        await checks.check(`preview of ${id}`, async () => {
            const answer = await get(`${service.root}/preview`, { id })
            framedPage(answer, { contains, escaped: unescaped })
            frameable(answer)
        })
        await checks.check(`view of ${id}`, async () => framedPage(await get(viewUrl(manifest, id)), { contains, escaped: unescaped }))
    }
    await checks.check("preview of an unknown id: 404", async () => refused(await get(`${service.root}/preview`, { id: "no such id" }), [404]))
    await checks.check("preview without an id is refused", async () => refused(await get(`${service.root}/preview`)))
}

async function checkExtension(checks, service, { entity, other }) {
    const ids = [entity.id, other.id]
    await checks.check("extend/propose: of a type, with a limit", async () => {
        const all = await service.propose({ type: entity.type })
        equal(all.type, entity.type, "type")
        const one = await service.propose({ type: entity.type, limit: 1 })
        equal([one.properties, one.limit], [all.properties.slice(0, 1), 1], "proposals with limit 1")
    })
    await checks.check("extend: every proposed property", async () => {
        const { properties } = await service.propose({ type: entity.type })
        const { meta, rows } = await service.extend({ ids, properties: properties.map(({ id }) => ({ id })) })
        equal(meta.map(({ id, name }) => [id, name]), properties.map(({ id, name }) => [id, name]), "columns")
        const strings = rows[0].properties.flatMap(({ values }) => values.map(value => value.str))
        expect(strings.includes(entity.synonym), `the synonym is missing of ${strings}`)
    })
    for (const [file, query] of service.specification.examples("data-extension-query", "valid")) {
        await checks.check(`official extension ${file}`, () => service.extend(query))
    }
    const headers = { "Content-Type": "application/json" }
    for (const body of ["", "{", "[]", "{}", '{"ids":["x"]}', '{"ids":7,"properties":[]}', '{"ids":[],"properties":[{}]}']) {
        await checks.check(`extend ${body} is refused`, async () => refused(await send("POST", `${service.root}/extend`, { body, headers })))
    }
}

async function checkHttp(checks, service, { entity }) {
    const manifest = await service.manifest()
    const gets = ["", "/suggest/entity", "/suggest/type", "/suggest/property", `/preview?id=${entity.id}`, "/extend/propose"]
    for (const route of gets) {
        await checks.check(`CORS preflight: GET ${route || "/"}`, () => preflight(service.root + route, "GET"))
    }
    await checks.check("CORS preflight: GET of the view", () => preflight(viewUrl(manifest, entity.id), "GET"))
    for (const route of ["/match", "/extend"]) {
        await checks.check(`CORS preflight: POST ${route}`, () => preflight(service.root + route, "POST"))
        await checks.check(`GET ${route} is not allowed`, async () => refused(await get(service.root + route), [405]))
    }
    await checks.check("CORS of an unknown path below the root", async () => refused(await get(`${service.root}/nothing`), [404]))
    await checks.check("no JSONP", async () => {
        const answer = ok(await get(`${service.root}/suggest/entity`, { prefix: entity.prefix, callback: "f" }))
        equal(answer.type, "application/json", "content type")
        JSON.parse(answer.text)
    })
}

async function checkConditions(checks, service, { entity, namesake, parent }) {
    const homonym = named(entity.name)
    const ids = found => found.map(({ id }) => id)
    await checks.check("conditions: namesakes are candidates, neither is a match", async () => {
        const found = await service.candidates([homonym])
        equal(ids(found).slice(0, 2).sort(), [entity.id, namesake.id].sort(), "candidates")
        equal(found.filter(({ match }) => match), [], "matches")
    })
    for (const [title, condition, id] of [
        ["parent by id", property("parent", namesake.parent), namesake.id],
        ["parent as an entity", property("parent", { id: parent.id, name: parent.name }), entity.id],
        ["cross-reference", property("xref", namesake.xref), namesake.id],
        ["any of two values", property("xref", ["nothing:1", namesake.xref], { matchQuantifier: "any" }), namesake.id],
        ["none of the values", property("xref", [namesake.xref], { matchQuantifier: "none" }), entity.id],
        ["all of two values", property("type", [namesake.type], { matchQuantifier: "all" }), namesake.id],
    ]) {
        await checks.check(`conditions: ${title} decides between namesakes`, async () => first(await service.candidates([homonym, condition]), id))
        await checks.check(`conditions: ${title}, required, leaves no other`, async () =>
            equal(ids(await service.candidates([homonym, { ...condition, required: true }])), [id], "candidates"))
    }
    await checks.check("conditions: all values, required, of which one is missing", async () =>
        equal(ids(await service.candidates([homonym, property("xref", ["nothing:1", namesake.xref], { matchQuantifier: "all", required: true })])), [], "candidates"))
    await checks.check("conditions: no name, a cross-reference", async () =>
        first(await service.candidates([property("xref", namesake.xref)]), namesake.id))
    await checks.check("conditions: values of every kind are accepted", () =>
        service.candidates([homonym, ...[7, 1.5, true, "x", { id: "x" }, ["x", 7, { id: "y" }]].map(value => property("parent", value))]))
    await checks.check("type decides between namesakes", async () =>
        first(await service.candidates([homonym], { type: namesake.type }), namesake.id))
    await checks.check("extend: parents are entities of the service", async () => {
        const { rows } = await service.extend({ ids: [entity.id], properties: [{ id: "parent" }] })
        equal(rows[0].properties[0].values.map(({ id, name }) => ({ id, name })), [parent], "parents")
    })
}

async function checkAwkward(checks, service, { awkward }) {
    for (const { id, name } of awkward) {
        await checks.check(`match: id ${id}`, async () => first(await service.candidates([identified(id)]), id, { match: true }))
        await checks.check(`match: name ${name}`, async () => first(await service.candidates([named(name)]), id))
        await checks.check(`extend: id ${id}`, async () => {
            const { rows } = await service.extend({ ids: [id], properties: [{ id: "name" }] })
            equal(rows[0].properties[0].values, [{ str: name }], "name")
        })
    }
}
