import { isRecord } from '../../shared/is-record.js'

/** Runs a shell command of the configuration; the host gives it, so that processes are started in one place. */
export type RunHelper = (
  command: string,
  options: { readonly env: Readonly<Record<string, string>>; readonly timeoutMs: number; readonly maxBytes: number },
) => Promise<{ readonly exitCode: number | undefined; readonly stdout: string }>

/** The helper gave no headers. The message never holds what it printed: that is where the secrets are. */
class HeadersHelperError extends Error {
  override readonly name = 'HeadersHelperError'
}

const TIMEOUT_MS = 10_000
const MAX_BYTES = 64 * 1024
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** The headers that a server's helper prints: a JSON object of strings. */
export async function helperHeaders(
  command: string,
  { name, url, run }: { readonly name: string; readonly url: string; readonly run: RunHelper },
): Promise<Readonly<Record<string, string>>> {
  const env = { HAFT_MCP_SERVER_NAME: name, HAFT_MCP_SERVER_URL: url }
  const { exitCode, stdout } = await run(command, { env, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES })
  if (exitCode === undefined)
    throw failed(name, `did not end within ${TIMEOUT_MS / 1000} s, or printed more than ${MAX_BYTES / 1024} KiB`)
  if (exitCode !== 0) throw failed(name, `ended with exit code ${exitCode}`)
  return parse(stdout, name)
}

function parse(stdout: string, name: string): Readonly<Record<string, string>> {
  let value: unknown
  try {
    value = JSON.parse(stdout)
  } catch {
    // The parser's own message quotes the text.
    throw failed(name, 'did not print JSON')
  }
  if (!isRecord(value)) throw failed(name, 'did not print a JSON object')
  for (const [header, text] of Object.entries(value)) {
    if (typeof text !== 'string' || !HEADER_NAME.test(header) || !HEADER_VALUE.test(text))
      throw failed(name, 'printed something else than names and values of headers')
  }
  return value as Record<string, string>
}

function failed(name: string, what: string): HeadersHelperError {
  return new HeadersHelperError(`the headersHelper of the MCP server ${name} ${what}`)
}
