import { resolve } from 'node:path'
import type { McpServerOption } from '../../src/mcp/config/server-config.js'

/** A fault of a server, and the right answer to a call of its tool `say`. */
interface Fault {
  readonly mode: string
  /** What the call returns. */
  readonly returns?: RegExp
  /** What the error of the call says. */
  readonly fails?: RegExp
  /** How long the start or a call may take in this test, in milliseconds, if it is the limit that ends the wait. */
  readonly limit?: { readonly startTimeoutMs?: number; readonly timeoutMs?: number }
  /** The tool to call, if it is not `say`. */
  readonly tool?: string
  readonly input?: Readonly<Record<string, unknown>>
}

const SAID = /^said hi$/
const SHORT_CALL = { timeoutMs: 2_000 }
const NO_MATCH = /made no progress for 2 s.*1 response that matches no request/s

/** Faults in what a server answers. They are the same for both transports. */
const ANSWERS: readonly Fault[] = [
  { mode: 'healthy', returns: SAID },
  { mode: 'init-null', fails: /JSON-RPC message|"result" is null instead of an object/ },
  { mode: 'init-error', fails: /no database/ },
  { mode: 'init-old-revision', fails: /protocol version is not supported: 1999-01-01/ },
  { mode: 'list-without-tools', fails: /malformed response: "result.tools" is not a list/ },
  { mode: 'list-not-a-list', fails: /malformed response: "result.tools" is not a list/ },
  { mode: 'list-error', fails: /tools are gone/ },
  { mode: 'list-same-cursor', returns: SAID },
  { mode: 'list-endless-cursors', returns: SAID },
  { mode: 'list-bad-entries', returns: SAID },
  { mode: 'schema-empty-enum', tool: 'broken', fails: /The tool "broken" .* cannot be used: .*enum/ },
  { mode: 'schema-rejected-name', input: { _text: 'hi' }, returns: SAID },
  { mode: 'call-result-null', fails: /JSON-RPC message|"result" is null instead of an object/ },
  { mode: 'call-result-text', fails: /JSON-RPC message|"result" is a string instead of an object/ },
  { mode: 'call-result-list', fails: /JSON-RPC message|"result" is a list instead of an object/ },
  { mode: 'call-no-result', fails: /JSON-RPC message|neither a result nor an error/ },
  { mode: 'call-both', fails: /JSON-RPC message|both a result and an error/ },
  { mode: 'call-bad-error', fails: /JSON-RPC message|"error" is not an object/ },
  { mode: 'call-error', fails: /disk full/ },
  { mode: 'call-content-not-a-list', fails: /"result.content" is not a list/ },
  { mode: 'call-unknown-content', returns: /hologram/ },
  { mode: 'call-is-error', fails: /no such file/ },
  { mode: 'call-deep', fails: /nested more than 500 levels deep/ },
  { mode: 'call-no-structured', fails: /returned no structured content, although it has an output schema/ },
  { mode: 'call-bad-structured', fails: /does not match its output schema:\s*- sum: must be number/ },
]

const STDIO_FAULTS: readonly Fault[] = [
  { mode: 'silent', limit: { startTimeoutMs: 2_000 }, fails: /did not answer within 2 s/ },
  { mode: 'exit', fails: /exit code 7|could not be reached/ },
  { mode: 'list-hangs', limit: { startTimeoutMs: 10_000 }, fails: /did not list its tools in time/ },
  { mode: 'hang', limit: SHORT_CALL, fails: /made no progress for 2 s/ },
  { mode: 'crash', fails: /It exited \(exit code 3\).*out of cheese/s },
  { mode: 'wrong-id', limit: SHORT_CALL, fails: NO_MATCH },
  { mode: 'text-id', limit: SHORT_CALL, fails: NO_MATCH },
  { mode: 'null-id', limit: SHORT_CALL, fails: NO_MATCH },
  { mode: 'no-version', limit: SHORT_CALL, fails: /made no progress for 2 s/ },
  { mode: 'twice', returns: /^first$/ },
  { mode: 'last-words', returns: /^done$/ },
  { mode: 'closed-output', fails: /It closed its output/ },
  { mode: 'batch', returns: /^from a batch$/ },
  { mode: 'split-character', returns: /^🙂$/u },
  { mode: 'noise', returns: /^after noise$/ },
  { mode: 'error-output', returns: /^quiet again$/ },
  { mode: 'unknown-request', returns: /^still here$/ },
  { mode: 'many-pings', returns: /^pinged$/ },
  { mode: 'log-flood', returns: /^flooded$/ },
  { mode: 'change-flood', returns: /^flooded$/ },
  { mode: 'progress-flood', returns: /^flooded$/ },
]

const HTTP_FAULTS: readonly Fault[] = [
  { mode: 'http-500', fails: /HTTP 500 Internal Server Error: It broke$/ },
  { mode: 'http-503', fails: /HTTP 503 Service Unavailable$/ },
  { mode: 'http-403', fails: /HTTP 403 Forbidden: not for you$/ },
  { mode: 'http-401', fails: /requires sign-in/ },
  { mode: 'http-404', fails: /HTTP 404 Not Found\. SSE failed, too.*Check the URL/ },
  { mode: 'http-405', fails: /HTTP 405 Method Not Allowed\. SSE failed, too.*Check the URL/ },
  { mode: 'redirect', fails: /HTTP 302|redirect/i },
  { mode: 'too-many', returns: SAID },
  { mode: 'too-many-at-start', returns: SAID },
  { mode: 'too-many-for-hours', fails: /HTTP 429: too many requests. The server asks to wait 7200 s/ },
  { mode: 'reset-initialize', returns: SAID },
  { mode: 'reset-list', returns: SAID },
  { mode: 'reset-call', fails: /was reset before the server answered. It is unknown whether the call took effect/ },
  { mode: 'http-hang', limit: SHORT_CALL, fails: /made no progress for 2 s/ },
  { mode: 'not-json', fails: /JSON/ },
  { mode: 'not-json-rpc', fails: /not a JSON-RPC message/ },
  { mode: 'wrong-type', fails: /Unexpected content type: text\/html/ },
  { mode: 'empty-body', fails: /JSON/ },
  { mode: 'cut-off', fails: /was reset before the server answered/ },
  { mode: 'http-wrong-id', limit: SHORT_CALL, fails: NO_MATCH },
  { mode: 'http-result-null', fails: /not a JSON-RPC message/ },
  { mode: 'stream-ends', fails: /ended the response without a result/ },
  { mode: 'stream-rubbish', fails: /ended the response without a result/ },
  { mode: 'lost-session', returns: SAID },
  { mode: 'only-sse', returns: SAID },
]

export interface FaultCase extends Fault {
  /** The name of the server. */
  readonly server: string
  readonly config: McpServerOption
}

/** Returns all faults over both transports, with the configuration of a server that has each. */
export function createFaultCases(httpPort: number): readonly FaultCase[] {
  const stdioServer = resolve('test/fixtures/mcp-faults/stdio-server.mjs')
  // No other fault may fail because a process starts slowly.
  const patience = { startTimeoutMs: 120_000 }
  const stdioCases = [...ANSWERS, ...STDIO_FAULTS].map((fault) => ({
    ...fault,
    server: `stdio-${fault.mode}`,
    config: { command: process.execPath, args: [stdioServer, fault.mode], ...patience, ...fault.limit },
  }))
  const httpCases = [...ANSWERS, ...HTTP_FAULTS].map((fault) => ({
    ...fault,
    server: `http-${fault.mode}`,
    config: { url: `http://127.0.0.1:${httpPort}/${fault.mode}`, ...patience, ...fault.limit },
  }))
  return [...stdioCases, ...httpCases]
}
