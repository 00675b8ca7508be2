// Checks that are counted, and reported where they fail.

import assert from "node:assert/strict"

/** Named checks; one that fails does not stop those after it. */
export class Checks {
    passed = 0
    failures = []

    /** Runs a check; what it throws is its failure. */
    async check(title, body) {
        try {
            await body()
            this.passed += 1
        } catch (error) {
            this.failures.push(`${title}\n      ${explain(error)}`)
        }
    }
}

function explain(error) {
    const cause = error.cause ? ` (${error.cause.message ?? error.cause})` : ""
    return `${error.message}${cause}`.split("\n").filter(line => line.trim()).slice(0, 12).join("\n      ")
}

/** Fails with a message that quotes the response. */
export function expect(condition, message, response) {
    if (!condition) assert.fail(response ? `${message}\n${response}` : message)
}

export const equal = (found, wanted, message) =>
    expect(JSON.stringify(found) === JSON.stringify(wanted),
        `${message}: ${JSON.stringify(found)}, expected ${JSON.stringify(wanted)}`)
