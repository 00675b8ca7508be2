// Reconciliation Service API 0.2.

import { checkCandidates, checkSuggest, first, typeIds } from "./candidates.mjs"
import { equal, expect } from "./checks.mjs"
import { frameable, framedPage, get, jsonp, ok, preflight, refused, send, withParameters } from "./client.mjs"

/** A service of version 0.2 at a root; every answer is checked against its schema. */
class Service {
    constructor(root, specification) {
        Object.assign(this, { root, specification })
    }

    async manifest() {
        const answer = ok(await get(this.root))
        return this.specification.validate("manifest", answer.json, answer)
    }

    /** Returns results by key, of a batch sent by POST. */
    async results(batch) { return this.checkedResults(batch, await send("POST", this.root, { form: { queries: JSON.stringify(batch) } })) }

    checkedResults(batch, answer) {
        const results = this.specification.validate("reconciliation-result-batch", ok(answer).json, answer)
        equal(Object.keys(results).sort(), Object.keys(batch).sort(), "keys of the results")
        for (const { result } of Object.values(results)) checkCandidates(result, answer)
        return results
    }

    /** Returns the candidates of one query. */
    async candidates(query) { return (await this.results({ q: query })).q.result }

    async extend(query) {
        const answer = ok(await send("POST", this.root, { form: { extend: JSON.stringify(query) } }))
        return this.checkedExtension(query, answer)
    }

    checkedExtension(query, answer) {
        const extension = this.specification.validate("data-extension-response", answer.json, answer)
        equal(Object.keys(extension.rows).sort(), [...query.ids].sort(), "ids of the rows")
        const columns = extension.meta.map(column => column.id)
        for (const row of Object.values(extension.rows)) {
            for (const column of columns) expect(Array.isArray(row[column]), `no values of ${column}`, answer)
        }
        return extension
    }

    async suggest(kind, parameters) {
        const { service_url, service_path } = (await this.manifest()).suggest[kind]
        const answer = ok(await get(service_url + service_path, parameters))
        const schema = { entity: "suggest-entities-response", type: "suggest-types-response", property: "suggest-properties-response" }
        return this.specification.validate(schema[kind], answer.json, answer).result
    }
}

const place = (template, id) => template.replaceAll("{{id}}", encodeURIComponent(id)).replaceAll("${id}", encodeURIComponent(id))
const flyoutUrl = (suggest, id) => place((suggest.flyout_service_url ?? suggest.service_url) + suggest.flyout_service_path, id)
const proposalsUrl = manifest => manifest.extend.propose_properties.service_url + manifest.extend.propose_properties.service_path

/** Checks a service at `root` over the bundled knowledge base. */
export async function checkMesh(checks, root, specification, mesh) {
    const service = new Service(root, specification)
    await checkManifest(checks, service)
    await checkOfficialQueries(checks, service)
    await checkMatching(checks, service, mesh)
    await checkTypes(checks, service, mesh)
    await checkBatches(checks, service, mesh)
    await checkSuggest(checks, mesh, (kind, parameters) => service.suggest(kind, parameters), "cursor")
    await checkPages(checks, service, [mesh.entity])
    await checkFlyouts(checks, service, mesh)
    await checkExtension(checks, service, mesh)
    await checkOpenRefine(checks, service, mesh)
    await checkJsonp(checks, service, mesh)
    await checkCors(checks, service, mesh)
}

/** Checks a service at `root` over `odd.jsonl`. */
export async function checkOdd(checks, root, specification, odd) {
    const service = new Service(root, specification)
    await checkManifest(checks, service)
    await checkProperties(checks, service, odd)
    await checkAwkward(checks, service, odd)
    await checkSuggest(checks, odd, (kind, parameters) => service.suggest(kind, parameters), "cursor")
    await checkPages(checks, service, odd.awkward, odd.unescaped)
}

async function checkManifest(checks, service) {
    await checks.check("manifest", async () => {
        const manifest = await service.manifest()
        expect(manifest.versions.includes("0.2"), `versions ${manifest.versions}`)
        expect(!manifest.versions.some(version => version.startsWith("1.")), `versions ${manifest.versions} at one root`)
        for (const space of ["identifierSpace", "schemaSpace"]) new URL(manifest[space])
        for (const feature of ["view", "preview", "suggest", "extend", "defaultTypes", "serviceVersion"]) expect(manifest[feature], `no ${feature}`)
        expect(Number.isInteger(manifest.batchSize) && manifest.batchSize >= 10, `batchSize ${manifest.batchSize}`)
    })
    await checks.check("manifest: addresses are absolute, below the root's server", async () => {
        const manifest = await service.manifest()
        const { entity, type, property } = manifest.suggest
        const urls = [manifest.view.url, manifest.preview.url, proposalsUrl(manifest)]
        for (const suggest of [entity, type, property]) urls.push(suggest.service_url + suggest.service_path, flyoutUrl(suggest, "x"))
        for (const url of urls) equal(new URL(url).origin, new URL(service.root).origin, `origin of ${url}`)
    })
}

async function checkOfficialQueries(checks, service) {
    const { specification, root } = service
    for (const [file, batch] of specification.examples("reconciliation-query-batch", "valid")) {
        await checks.check(`official query ${file}: POST`, () => service.results(batch))
        await checks.check(`official query ${file}: GET`, async () =>
            service.checkedResults(batch, await get(root, { queries: JSON.stringify(batch) })))
    }
    for (const [file, batch] of specification.examples("reconciliation-query-batch", "invalid")) {
        await checks.check(`official invalid query ${file}: POST`, async () =>
            refused(await send("POST", root, { form: { queries: JSON.stringify(batch) } })))
        await checks.check(`official invalid query ${file}: GET`, async () => refused(await get(root, { queries: JSON.stringify(batch) })))
    }
    for (const queries of ["", "{", "null", "[]", "7", '{"q":"text"}', '{"q":{"query":[7]}}', '{"q":{"query":"x","type":7}}']) {
        await checks.check(`queries=${queries} is refused`, async () => refused(await send("POST", root, { form: { queries } })))
    }
    for (const limit of [0, -1, 1.5, "many"]) {
        await checks.check(`limit ${JSON.stringify(limit)} is refused: a positive integer`, async () =>
            refused(await send("POST", root, { form: { queries: JSON.stringify({ q: { query: "x", limit } }) } })))
    }
    await checks.check("type_strict of another value is refused", async () =>
        refused(await send("POST", root, { form: { queries: JSON.stringify({ q: { query: "x", type_strict: "maybe" } }) } })))
    await checks.check("POST without queries and extend is refused", async () => refused(await send("POST", root, { form: { other: "x" } })))
    await checks.check("an empty batch has no results", () => service.results({}))
}

async function checkMatching(checks, service, { entity, misspelt, absent }) {
    for (const query of [entity.name, entity.synonym, entity.name.toUpperCase(), ` ${entity.name} `]) {
        await checks.check(`match: ${JSON.stringify(query)}`, async () => first(await service.candidates({ query }), entity.id, { match: true }))
    }
    await checks.check("match: misspelt", async () => first(await service.candidates({ query: misspelt }), entity.id))
    await checks.check("match: an id returns its entity, with a high score", async () => {
        const byName = await service.candidates({ query: entity.name })
        const byId = await service.candidates({ query: entity.id })
        first(byId, entity.id, { match: true })
        expect(byId[0].score >= byName[0].score, `score ${byId[0].score} by id, ${byName[0].score} by name`)
        equal(byId[0].name, entity.name, "name")
    })
    await checks.check("match: none of another subject", async () =>
        equal((await service.candidates({ query: absent })).filter(candidate => candidate.match), [], "matches"))
    await checks.check("match: scores are percent, as clients take them, and come with features", async () => {
        const [{ score, features }] = await service.candidates({ query: entity.name })
        expect(score > 50 && score <= 100, `score ${score}`)
        expect(features.length > 0, "no features")
    })
    await checks.check("limit", async () => {
        for (const limit of [1, 2, 3]) {
            const found = await service.candidates({ query: "infarction", limit })
            expect(found.length > 0 && found.length <= limit, `${found.length} candidates with limit ${limit}`)
        }
    })
}

async function checkTypes(checks, service, { entity, other, bothTypes }) {
    const only = (candidates, type) => {
        for (const candidate of candidates) expect(typeIds(candidate).includes(type), `${candidate.id} is of ${typeIds(candidate)}`)
    }
    await checks.check("type: string and array", async () => {
        for (const type of [entity.type, [entity.type]]) {
            const found = await service.candidates({ query: entity.name, type })
            first(found, entity.id, { match: true })
            only(found, entity.type)
        }
    })
    await checks.check("type: of another type, no match", async () => {
        const found = await service.candidates({ query: other.name, type: entity.type, type_strict: "any" })
        only(found, entity.type)
        equal(found.filter(candidate => candidate.match), [], "matches")
    })
    await checks.check("type_strict any: one of the types", async () => {
        const found = await service.candidates({ query: other.name, type: [entity.type, other.type], type_strict: "any" })
        first(found, other.id, { match: true })
    })
    await checks.check("type_strict all: every type", async () => {
        const found = await service.candidates({ query: bothTypes.name, type: bothTypes.types, type_strict: "all" })
        first(found, bothTypes.id)
        for (const type of bothTypes.types) only(found, type)
        const none = await service.candidates({ query: other.name, type: bothTypes.types, type_strict: "all" })
        expect(!none.some(candidate => candidate.id === other.id), `${other.id} has one of the types only`)
    })
    await checks.check("type_strict should: an entity of another type remains, an unknown type does no harm", async () => {
        for (const type of [entity.type, "DifferentiatedPerson"]) {
            const found = await service.candidates({ query: other.name, type, type_strict: "should" })
            expect(found.some(candidate => candidate.id === other.id), `${other.id} is missing for type ${type}`)
        }
    })
}

async function checkBatches(checks, service, { entity, other }) {
    const names = [entity.name, entity.synonym, other.name, "Hypertension", "Ibuprofen", "zzzz", entity.id, "tuberculosis", "a", "脳卒中"]
    const batch = Object.fromEntries(names.map((query, at) => [["q0", "1", "", "ä b", "q\"4", "5", "6", "7", "8", "9"][at], { query }]))
    await checks.check("batch: each query as it is answered alone", async () => {
        const together = await service.results(batch)
        for (const [key, query] of Object.entries(batch)) {
            equal(together[key].result, await service.candidates(query), `results of ${query.query}`)
        }
    })
    await checks.check("batch: GET answers as POST", async () => {
        const answer = await get(service.root, { queries: JSON.stringify(batch) })
        equal(service.checkedResults(batch, answer), await service.results(batch), "results by GET")
    })
    const sized = size => Object.fromEntries(Array.from({ length: size }, (_, at) => [`q${at}`, { query: `${entity.name} ${at}`, limit: 1 }]))
    await checks.check("batchSize: a batch of that size is answered, a larger one may be refused with 413", async () => {
        const { batchSize } = await service.manifest()
        await service.results(sized(batchSize))
        const answer = await send("POST", service.root, { form: { queries: JSON.stringify(sized(batchSize + 1)) } })
        expect([200, 413].includes(answer.status), `status ${answer.status}`, answer)
    })
}

async function checkPages(checks, service, entities, unescaped) {
    const manifest = await service.manifest()
    for (const { id, name } of entities) {
        const contains = unescaped ? undefined : name
        await checks.check(`preview of ${id}`, async () => {
            const answer = await get(place(manifest.preview.url, id))
            framedPage(answer, { contains, escaped: unescaped })
            frameable(answer)
        })
        await checks.check(`view of ${id}`, async () => {
            const url = place(manifest.view.url, id)
            new URL(url)
            framedPage(await get(url), { contains, escaped: unescaped })
        })
    }
    await checks.check("preview and view of an unknown id: 404", async () => {
        refused(await get(place(manifest.preview.url, "no such id")), [404])
        refused(await get(place(manifest.view.url, "no such id")), [404])
    })
}

async function checkFlyouts(checks, service, { entity }) {
    const { suggest, ...manifest } = await service.manifest()
    const [property] = ok(await get(proposalsUrl(manifest), { type: entity.type })).json.properties
    for (const [kind, id] of [["entity", entity.id], ["type", entity.type], ["property", property.id]]) {
        await checks.check(`flyout of a ${kind}`, async () => {
            const answer = ok(await get(flyoutUrl(suggest[kind], id)))
            equal(Object.keys(answer.json).sort(), ["html", "id"], "fields of the flyout")
            equal(answer.json.id, id, "id of the flyout")
            expect(answer.json.html.includes("<"), "no HTML", answer)
        })
        await checks.check(`flyout of an unknown ${kind}: 404`, async () => refused(await get(flyoutUrl(suggest[kind], "no such id")), [404]))
    }
}

async function checkExtension(checks, service, { entity, other }) {
    const manifest = await service.manifest()
    const ids = [entity.id, other.id]
    const proposed = parameters => get(proposalsUrl(manifest), parameters).then(answer =>
        service.specification.validate("data-extension-property-proposal", ok(answer).json, answer))
    await checks.check("proposals: of a type, with a limit", async () => {
        const all = await proposed({ type: entity.type })
        equal(all.type, entity.type, "type")
        const one = await proposed({ type: entity.type, limit: 1 })
        equal([one.properties, one.limit], [all.properties.slice(0, 1), 1], "proposals with limit 1")
    })
    await checks.check("extend: every proposed property, by POST and GET", async () => {
        const { properties } = await proposed({ type: entity.type })
        const query = { ids, properties: properties.map(({ id }) => ({ id })) }
        const extension = await service.extend(query)
        equal(extension.meta.map(({ id, name }) => [id, name]), properties.map(({ id, name }) => [id, name]), "columns")
        const strings = Object.values(extension.rows[entity.id]).flat().map(value => value.str)
        expect(strings.includes(entity.synonym), `the synonym is missing of ${strings}`)
        const answer = ok(await get(service.root, { extend: JSON.stringify(query) }))
        equal(service.checkedExtension(query, answer), extension, "by GET")
    })
    await checks.check("extend: settings of the manifest", async () => {
        const settings = Object.fromEntries((manifest.extend.property_settings ?? []).map(setting => [setting.name, setting.default]))
        const { properties } = await proposed({ type: entity.type })
        await service.extend({ ids, properties: properties.map(({ id }) => ({ id, settings })) })
    })
    await checks.check("extend: the number limit of the manifest's settings, also as a string", async () => {
        if (!manifest.extend.property_settings?.some(setting => setting.name === "limit")) return
        const { properties } = await proposed({ type: entity.type })
        for (const limit of [1, "1"]) {
            const query = { ids, properties: properties.map(({ id }) => ({ id, settings: { limit } })) }
            const values = Object.values((await service.extend(query)).rows).flatMap(row => Object.values(row))
            expect(values.every(items => items.length <= 1), `${Math.max(...values.map(items => items.length))} values with limit 1`)
        }
    })
    for (const [file, query] of service.specification.examples("data-extension-query", "valid")) {
        await checks.check(`official extension ${file}`, () => service.extend(query))
    }
    for (const extend of ["", "{", "[]", "{}", '{"ids":["x"]}', '{"ids":7,"properties":[]}', '{"ids":[],"properties":[{}]}']) {
        await checks.check(`extend=${extend} is refused`, async () => refused(await send("POST", service.root, { form: { extend } })))
    }
}

/** Requests as OpenRefine and reconciliation clients send them. */
async function checkOpenRefine(checks, service, { entity, other }) {
    await checks.check("OpenRefine: query with type, type_strict and limit", async () => {
        const query = { query: entity.name, type: entity.type, type_strict: "should", limit: 3 }
        first(await service.candidates(query), entity.id, { match: true })
    })
    await checks.check("OpenRefine: no match of another type than the column's, whatever type_strict is", async () => {
        const found = await service.candidates({ query: entity.name, type: other.type, type_strict: "should" })
        const matches = found.filter(({ match }) => match).filter(candidate => !typeIds(candidate).includes(other.type))
        equal(matches.map(({ id }) => id), [], "matches of another type")
    })
    await checks.check("OpenRefine: suggestions with its further parameters", async () => {
        const parameters = { prefix: entity.prefix, type: entity.type, type_strict: "any", limit: 20, exact: "false" }
        expect((await service.suggest("entity", parameters)).some(({ id }) => id === entity.id), `${entity.id} is missing`)
    })
    await checks.check("OpenRefine: suggested properties with a type", () => service.suggest("property", { prefix: "", type: entity.type }))
}

async function checkJsonp(checks, service, { entity }) {
    const callback = "jQuery1234_5678"
    const manifest = await service.manifest()
    const { suggest } = manifest
    const extension = { ids: [entity.id], properties: [{ id: "synonym" }] }
    const urls = {
        manifest: service.root,
        queries: withParameters(service.root, { queries: JSON.stringify({ q: { query: entity.name } }) }),
        extend: withParameters(service.root, { extend: JSON.stringify(extension) }),
        suggest: withParameters(suggest.entity.service_url + suggest.entity.service_path, { prefix: entity.prefix }),
        flyout: flyoutUrl(suggest.entity, entity.id),
        proposals: withParameters(proposalsUrl(manifest), { type: entity.type }),
    }
    for (const [title, url] of Object.entries(urls)) {
        await checks.check(`JSONP: ${title}`, async () =>
            equal(jsonp(await get(url, { callback }), callback), ok(await get(url)).json, "argument of the callback"))
    }
    for (const bad of ["alert(1)//", "a b", "<script>", "a;b"]) {
        await checks.check(`JSONP: callback ${bad} is not echoed`, async () => {
            const answer = await get(service.root, { callback: bad })
            expect(!answer.text.includes(bad) || answer.type === "application/json", "the callback is echoed", answer)
        })
    }
}

async function checkCors(checks, service, { entity }) {
    const manifest = await service.manifest()
    const endpoints = [service.root, place(manifest.preview.url, entity.id), place(manifest.view.url, entity.id), proposalsUrl(manifest)]
    for (const suggest of Object.values(manifest.suggest)) endpoints.push(suggest.service_url + suggest.service_path, flyoutUrl(suggest, entity.id))
    for (const url of endpoints) {
        await checks.check(`CORS preflight: GET ${url}`, () => preflight(url, "GET"))
    }
    await checks.check("CORS preflight: POST", () => preflight(service.root, "POST"))
    await checks.check("CORS of an unknown path below the root", async () => refused(await get(`${service.root}/nothing`), [404]))
}

async function checkProperties(checks, service, { entity, namesake, parent }) {
    const homonym = entity.name
    await checks.check("properties: namesakes are candidates, neither is a match", async () => {
        const found = await service.candidates({ query: homonym })
        equal(found.slice(0, 2).map(({ id }) => id).sort(), [entity.id, namesake.id].sort(), "candidates")
        equal(found.filter(({ match }) => match), [], "matches")
    })
    const property = (pid, v) => [{ pid, v }]
    for (const [title, properties, id] of [
        ["type", property("type", namesake.type), namesake.id],
        ["parent by id", property("parent", namesake.parent), namesake.id],
        ["parent as an entity", property("parent", { id: parent.id, name: parent.name }), entity.id],
        ["parent by name", property("parent", parent.name), entity.id],
        ["cross-reference", property("xref", namesake.xref), namesake.id],
        ["one of several values", property("xref", ["nothing:1", namesake.xref]), namesake.id],
        ["another name", property("synonym", entity.synonym), entity.id],
    ]) {
        await checks.check(`properties: ${title} decides between namesakes`, async () =>
            first(await service.candidates({ query: homonym, properties }), id))
    }
    await checks.check("properties: no query, a cross-reference", async () =>
        first(await service.candidates({ properties: property("xref", namesake.xref) }), namesake.id))
    await checks.check("properties: values of every kind are accepted", () =>
        service.candidates({ query: homonym, properties: [7, 1.5, true, "x", { id: "x" }, ["x", 7, { id: "y" }]].flatMap(v => property("parent", v)) }))
    await checks.check("properties: further fields are allowed, as by the schema", async () =>
        first(await service.candidates({ query: entity.synonym, properties: [{ pid: "parent", p: "parent", v: parent.id }] }), entity.id))
    await checks.check("properties: an unknown property does no harm", async () => {
        const found = await service.candidates({ query: entity.synonym, properties: property("no such property", "x") })
        first(found, entity.id)
    })
    await checks.check("type decides between namesakes", async () => {
        first(await service.candidates({ query: homonym, type: namesake.type }), namesake.id)
        first(await service.candidates({ query: homonym, type: [entity.type] }), entity.id)
    })
    await checks.check("extend: parents are entities of the service, cross-references strings", async () => {
        const { rows } = await service.extend({ ids: [entity.id, parent.id], properties: [{ id: "parent" }, { id: "xref" }] })
        equal(rows[entity.id].parent.map(({ id, name }) => ({ id, name })), [parent], "parents")
        expect(rows[entity.id].xref.every(value => typeof value.str === "string" || typeof value.id === "string"), "cross-references")
        expect(rows[parent.id].parent.every(value => Object.keys(value).length === 0), "parents of a concept without one")
    })
}

async function checkAwkward(checks, service, { awkward }) {
    for (const { id, name } of awkward) {
        await checks.check(`match: id ${id}`, async () => first(await service.candidates({ query: id }), id, { match: true }))
        await checks.check(`match: name ${name}`, async () => first(await service.candidates({ query: name }), id))
        await checks.check(`suggest: id ${id}`, async () =>
            expect((await service.suggest("entity", { prefix: id })).some(item => item.id === id), "the entity is missing"))
        await checks.check(`extend: id ${id}`, async () => {
            const { rows } = await service.extend({ ids: [id], properties: [{ id: "name" }] })
            equal(rows[id].name, [{ str: name }], "name")
        })
        await checks.check(`flyout: id ${id}`, async () => {
            const { suggest } = await service.manifest()
            const answer = ok(await get(flyoutUrl(suggest.entity, id)))
            equal(answer.json.id, id, "id of the flyout")
            expect(!/<script>alert|<img src=x/.test(answer.json.html), "HTML is not escaped", answer)
        })
    }
}
