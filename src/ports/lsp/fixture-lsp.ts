import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { createServicePort } from '../shell/create-service-port.js'
import { createLsp, type LspOptions } from './create-lsp.js'
import { listServers } from './server-config.js'

const toModulePath = (name: string) => fileURLToPath(new URL(`../../../node_modules/${name}`, import.meta.url))

/** The setting for TypeScript's own server, from the packages of this repository. */
export const TYPESCRIPT_SERVER = {
  typescript: { command: process.execPath, args: [toModulePath('typescript/bin/tsc'), '--lsp', '--stdio'] },
}
/** The setting for pyright, from the packages of this repository. */
export const PYRIGHT_SERVER = {
  pyright: { command: process.execPath, args: [toModulePath('pyright/langserver.index.js'), '--stdio'] },
}

/** The setting for a server for `.x` files that runs this script. The variable `c` is its connection. */
export function createScriptServer(script: string, settings: object = {}) {
  const start = `
const { createMessageConnection, StreamMessageReader, StreamMessageWriter } = require(process.argv[1])
const c = createMessageConnection(new StreamMessageReader(process.stdin), new StreamMessageWriter(process.stdout))
c.onNotification('exit', () => process.exit())
`
  const args = ['-e', `${start}${script}\nc.listen()`, toModulePath('vscode-jsonrpc/lib/node/main.js')]
  return { script: { command: process.execPath, args, extensions: { '.x': 'x' }, ...settings } }
}

/** Creates a project with a tsconfig.json and opens its language servers. Both are removed after the test. */
export async function createLspProject(
  settings: Readonly<Record<string, unknown>> = TYPESCRIPT_SERVER,
  options: Partial<LspOptions> = {},
) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'haft-lsp-test-')))
  const problems: string[] = []
  const environment = { ...process.env }
  const lsp = createLsp({
    ...{ projectFolder: folder, environment, isTrusted: true, workingFolders: () => [folder] },
    servers: listServers(settings, (problem) => problems.push(problem)),
    services: createServicePort(environment),
    ...options,
  })
  onTestFinished(async () => {
    await lsp.close()
    await rm(folder, { recursive: true, force: true })
  })
  const toPath = (name: string) => join(folder, name)
  const put = async (name: string, text: string) => {
    await mkdir(dirname(toPath(name)), { recursive: true })
    await writeFile(toPath(name), text)
  }
  await put('tsconfig.json', '{ "compilerOptions": { "strict": true, "types": [] } }')
  return { lsp, folder, problems, path: toPath, put }
}
