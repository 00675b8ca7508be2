// Checks of candidates and suggestions that both versions share.

import { equal, expect } from "./checks.mjs"

export function checkCandidates(candidates, answer) {
    const scores = candidates.map(candidate => candidate.score)
    for (const [at, score] of scores.entries()) {
        expect(Number.isFinite(score), `score ${score}`, answer)
        expect(at === 0 || scores[at - 1] >= score, `scores do not decrease: ${scores}`, answer)
    }
    for (const candidate of candidates) {
        expect(typeof candidate.match === "boolean", `match is ${candidate.match}`, answer)
        expect(Array.isArray(candidate.type), `type is ${candidate.type}`, answer)
        const features = (candidate.features ?? []).map(feature => feature.id)
        expect(new Set(features).size === features.length, `features repeat an id: ${features}`, answer)
    }
    const ids = candidates.map(candidate => candidate.id)
    expect(new Set(ids).size === ids.length, `candidates repeat an id: ${ids}`, answer)
    const matches = candidates.filter(candidate => candidate.match).length
    expect(matches <= 1, `${matches} candidates have match: true`, answer)
}

export const typeIds = candidate => candidate.type.map(type => type.id ?? type)

export function first(candidates, id, { match } = {}, answer) {
    expect(candidates[0]?.id === id, `first candidate ${candidates[0]?.id}, expected ${id}`, answer)
    if (match !== undefined) equal(candidates[0].match, match, `match of ${id}`)
}

/** Checks of suggest services; `suggest(kind, parameters)` returns a valid list and `offset` names the parameter. */
export async function checkSuggest(checks, base, suggest, offset) {
    const ids = items => items.map(item => item.id)
    const { entity } = base
    for (const prefix of [entity.prefix, entity.name, entity.synonym, entity.id]) {
        await checks.check(`suggest entity: prefix ${prefix}`, async () => {
            const found = ids(await suggest("entity", { prefix }))
            expect(found.includes(entity.id), `${entity.id} is not among ${found}`)
        })
    }
    await checks.check("suggest entity: names that begin so come before similar ones", async () => {
        const [first] = await suggest("entity", { prefix: entity.name })
        expect(first.id === entity.id, `first suggestion ${first.id}, expected ${entity.id}`)
    })
    await checks.check("suggest entity: an empty prefix and one without a name like it are no error", async () => {
        for (const prefix of ["", "qqqq zzzz"]) await suggest("entity", { prefix })
    })
    await checks.check(`suggest entity: ${offset} skips`, async () => {
        const prefix = entity.prefix.slice(0, 2)
        const all = ids(await suggest("entity", { prefix }))
        expect(all.length > 0, `no suggestion for ${prefix}`)
        const rest = ids(await suggest("entity", { prefix, [offset]: 1 }))
        equal(rest.slice(0, all.length - 1), all.slice(1), `suggestions with ${offset}=1`)
        equal(ids(await suggest("entity", { prefix, [offset]: 100000 })), [], `suggestions with ${offset}=100000`)
    })
    await checks.check("suggest entity: the same twice", async () => {
        const parameters = { prefix: entity.prefix.slice(0, 1) }
        equal(await suggest("entity", parameters), await suggest("entity", parameters), "a second answer")
    })
    await checks.check("suggest type: by prefix and in full", async () => {
        expect(ids(await suggest("type", { prefix: entity.type.slice(0, 3) })).includes(entity.type), `${entity.type} is missing`)
        expect(ids(await suggest("type", { prefix: "" })).includes(entity.type), `${entity.type} is missing of all`)
    })
    await checks.check("suggest property: by prefix, id and in full", async () => {
        const all = await suggest("property", { prefix: "" })
        expect(all.length > 0, "no property")
        for (const property of all) {
            for (const prefix of [property.name, property.id]) {
                const found = ids(await suggest("property", { prefix }))
                expect(found.includes(property.id), `prefix ${prefix} finds ${found}, expected ${property.id}`)
            }
        }
    })
}
