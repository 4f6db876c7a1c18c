import { get } from 'node:http'
import { isRecord } from '../../../shared/is-record.js'

/** A server of models on this machine. */
export interface LocalServer {
  readonly name: string
  readonly baseUrl: string
  readonly models: readonly string[]
}

/** The usual ports of programs that serve models with the API of OpenAI. Other programs may use them as well. */
const USUAL_PORTS: Readonly<Record<number, string>> = {
  11434: 'Ollama',
  1234: 'LM Studio',
  8080: 'llama.cpp',
  8000: 'vLLM',
}

const TIMEOUT_MS = 1_000
const MAX_BYTES = 256 * 1024
const MAX_MODELS = 100
const MODEL_NAME = /^[\w.:@/+-]{1,200}$/

/** Finds servers that list their models. Asks only this machine, all ports at once, for at most a second. */
export async function findLocalServers(ports = USUAL_PORTS): Promise<readonly LocalServer[]> {
  const servers = Object.entries(ports).map(async ([port, name]) => {
    const baseUrl = `http://127.0.0.1:${port}/v1`
    const models = readModels(await fetchText(`${baseUrl}/models`))
    return models.length === 0 ? [] : [{ name, baseUrl, models }]
  })
  return (await Promise.all(servers)).flat()
}

/** Returns the body of a successful response. Undefined if there is none in time. Uses no proxy and follows no redirect. */
function fetchText(url: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, signal: AbortSignal.timeout(TIMEOUT_MS) }, (response) => {
      const chunks: Buffer[] = []
      let size = 0
      response.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > MAX_BYTES) response.destroy()
        else chunks.push(chunk)
      })
      response.on('end', () =>
        resolve(response.statusCode === 200 ? Buffer.concat(chunks).toString('utf8') : undefined),
      )
      response.on('close', () => resolve(undefined))
      response.on('error', () => resolve(undefined))
    })
    // Usually nothing listens on the port.
    request.on('error', () => resolve(undefined))
  })
}

/** Returns the names of the models; none if the text is not a list of models. Names that a shell could misread are left out. */
function readModels(text: string | undefined): readonly string[] {
  try {
    const list: unknown = JSON.parse(text ?? '')
    const entries = isRecord(list) && Array.isArray(list.data) ? list.data : []
    const names = entries.flatMap((entry) => (isRecord(entry) && typeof entry.id === 'string' ? [entry.id] : []))
    return names.filter((name) => MODEL_NAME.test(name)).slice(0, MAX_MODELS)
  } catch {
    // Another program uses the port, for example a web server with a page.
    return []
  }
}

/** Returns the commands that use a model of the server. */
export function explainLocalServer({ baseUrl, models: [model = ''] }: LocalServer): string {
  return `export OPENAI_BASE_URL=${baseUrl} HAFT_MODEL=${model}\nhaft`
}
