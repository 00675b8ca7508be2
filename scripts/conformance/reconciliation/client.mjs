// Requests, and what every response of both versions has.

import { expect } from "./checks.mjs"

const ORIGIN = "https://elsewhere.example"
const QUOTED = 600

/** A response with its body read. */
export class Answer {
    constructor(request, status, headers, text) {
        Object.assign(this, { request, status, headers, text })
    }

    get type() { return (this.headers.get("content-type") ?? "").split(";")[0].trim() }

    get json() {
        expect(this.type === "application/json", `content type ${this.type}, expected application/json`, this)
        return JSON.parse(this.text)
    }

    toString() { return `${this.request}\nanswered ${this.status} ${this.type}: ${this.text.slice(0, QUOTED)}` }
}

/** Sends a request from another origin; the specification demands CORS of every endpoint and in every answer. */
export async function send(method, url, { form, json, body, headers = {} } = {}) {
    const options = { method, headers: { Origin: ORIGIN, ...headers }, redirect: "manual" }
    if (form) options.body = new URLSearchParams(form)
    if (json !== undefined) {
        options.body = JSON.stringify(json)
        options.headers["Content-Type"] = "application/json"
    }
    if (body !== undefined) options.body = body
    const response = await fetch(url, options)
    const request = `${method} ${url} ${options.body ? decodeURIComponent(String(options.body).replaceAll("+", " ")) : ""}`
    const answer = new Answer(request.slice(0, QUOTED), response.status, response.headers, await response.text())
    const allowed = response.headers.get("access-control-allow-origin")
    expect(["*", ORIGIN].includes(allowed), `CORS: Access-Control-Allow-Origin is ${allowed}`, answer)
    return answer
}

export const get = (url, parameters) => send("GET", withParameters(url, parameters))

export const withParameters = (url, parameters = {}) => {
    const query = new URLSearchParams(parameters).toString()
    return query ? `${url}${url.includes("?") ? "&" : "?"}${query}` : url
}

export function ok(answer) {
    expect(answer.status === 200, `status ${answer.status}, expected 200`, answer)
    return answer
}

/** Checks that a request was refused as the client's mistake. */
export function refused(answer, statuses) {
    const isRefusal = statuses ? statuses.includes(answer.status) : answer.status >= 400 && answer.status < 500
    expect(isRefusal, `status ${answer.status}, expected ${statuses ?? "4xx"}`, answer)
    return answer
}

/** Checks the answer to a CORS preflight request for a method with a JSON or form body. */
export async function preflight(url, method) {
    const headers = { "Access-Control-Request-Method": method, "Access-Control-Request-Headers": "content-type" }
    const answer = await send("OPTIONS", url, { headers })
    expect(answer.status === 200 || answer.status === 204, `preflight answered ${answer.status}`, answer)
    for (const [header, wanted] of [["access-control-allow-methods", method], ["access-control-allow-headers", "content-type"]]) {
        const allowed = (answer.headers.get(header) ?? "").toLowerCase().split(",").map(item => item.trim())
        expect(allowed.includes("*") || allowed.includes(wanted.toLowerCase()), `${header}: ${allowed}, expected ${wanted}`, answer)
    }
}

/** Reads a JSONP answer: `callback(JSON)`, with or without a comment before and a semicolon after it. */
export function jsonp(answer, callback) {
    ok(answer)
    expect(/javascript/.test(answer.type), `content type ${answer.type}, expected JavaScript`, answer)
    const [, name, argument] = /^\s*(?:\/\*\*\/)?\s*([\w$.]+)\(([\s\S]*)\);?\s*$/.exec(answer.text) ?? []
    expect(name === callback, `no call of ${callback}`, answer)
    return JSON.parse(argument)
}

/** Checks an HTML page that another origin may frame: preview and view. */
export function framedPage(answer, { contains, escaped }) {
    ok(answer)
    expect(answer.type === "text/html", `content type ${answer.type}, expected text/html`, answer)
    expect(/^\s*<!doctype html>/i.test(answer.text), "no <!DOCTYPE html>", answer)
    if (contains) expect(answer.text.includes(contains), `the page lacks ${contains}`, answer)
    if (escaped) expect(!escaped.test(answer.text), `the page has ${escaped} unescaped`, answer)
}

export function frameable(answer) {
    const policy = answer.headers.get("content-security-policy") ?? ""
    const [, ancestors] = /frame-ancestors\s+([^;]*)/.exec(policy) ?? []
    expect(!answer.headers.get("x-frame-options"), "X-Frame-Options forbids an <iframe> elsewhere", answer)
    expect(!ancestors || ancestors.trim() === "*", `frame-ancestors ${ancestors} forbids an <iframe> elsewhere`, answer)
}
