import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { SessionData } from '../../../inspector/data/session-data.js'
import { collectExport } from '../../../inspector/export/collect-export.js'
import { type PageAssets, toHtmlFile } from '../../../inspector/export/html.js'
import { toOtlp } from '../../../inspector/export/otlp.js'
import { startInspector } from '../../../inspector/server/inspector-server.js'
import type { SessionPaths } from '../../../session/transcript/storage/session-paths.js'
import { builtInTools } from '../../../tools/index.js'
import type { CommandHost, CommandIo } from '../../io/command.js'
import { EXIT, UsageError } from '../../io/exit.js'
import { parseOptions } from '../../options/parse-options.js'
import { SETTINGS_OPTIONS } from '../../options/settings-options.js'
import { loadCommandSettings } from '../../tool-session/load-command-settings.js'
import { findNamedSession } from './find-named-session.js'
import { ToolWorkbench } from './open-workbench.js'

/** Serves the inspector until it is interrupted, or exports a session. */
export async function runInspect(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, {
    ...SETTINGS_OPTIONS,
    port: { type: 'string' },
    'no-open': { type: 'boolean', default: false },
    export: { type: 'string' },
  })
  const [name, ...others] = positionals
  if (others.length > 0) throw new UsageError('expected at most one session: haft inspect [SESSION].')
  const port = parsePort(values.port)
  const host = await io.host()
  const settings = await loadCommandSettings(io, host, { values, tools: builtInTools })
  const location = { home: io.homeDir, projectRoot: settings.projectRoot }
  const paths = name === undefined ? undefined : findNamedSession(name, location)
  const workbench = new ToolWorkbench(io, host, settings, values)
  try {
    if (values.export !== undefined) return await exportSession(io, host, paths, values.export, workbench)
    const token = randomBytes(32).toString('base64url')
    const files = new Map<string, SessionPaths>(paths === undefined ? [] : [[paths.id, paths]])
    const inspector = await startInspector({
      ...{ ...location, files, token, assets: await readAssets(), workbench },
      ...(port !== undefined && { port }),
    })
    const url = createUrl(inspector.port, token, paths?.id)
    await host.write(`The inspector runs at ${url}\nPress Ctrl-C to end it.\n`)
    if (!values['no-open'] && io.isTerminal) await host.openBrowser(url)
    await waitForInterruption(host)
    await inspector.close()
    return EXIT.done
  } finally {
    await workbench.dispose()
  }
}

/** Returns the address of the page. The token is in the fragment, which browsers send to no server. */
function createUrl(port: number, token: string, session: string | undefined): string {
  return `http://127.0.0.1:${port}/#token=${token}${session === undefined ? '' : `&session=${session}`}`
}

function parsePort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const port = Number(text)
  if (/^\d+$/.test(text) && port >= 0 && port < 65_536) return port
  throw new UsageError(`--port must be a number from 0 to 65535, not ${JSON.stringify(text)}.`)
}

async function exportSession(
  io: CommandIo,
  host: CommandHost,
  paths: SessionPaths | undefined,
  file: string,
  workbench: ToolWorkbench,
): Promise<number> {
  if (paths === undefined) throw new UsageError('--export needs a session: haft inspect SESSION --export FILE.')
  const data = new SessionData(paths)
  await data.refresh()
  if (!/\.(?:html|json)$/.test(file)) throw new UsageError('--export needs a file that ends with .html or .json.')
  const text = file.endsWith('.html')
    ? toHtmlFile(await readAssets(), `Haft session ${paths.id}`, await collectExport(data, workbench))
    : `${JSON.stringify(toOtlp(data.rows, (position) => data.readCall(position)?.trace))}\n`
  // A session may contain secrets, so only the user can read the file. An existing file is kept.
  await writeFile(resolve(host.cwd, file), text, { mode: 0o600, flag: 'wx' })
  io.out(`Wrote ${file}.\n`)
  return EXIT.done
}

/** Reads the page from the built package, where it is two folders above the parts of the command. */
async function readAssets(): Promise<PageAssets> {
  const read = (name: string) => readFile(new URL(`../../inspector/${name}`, import.meta.url), 'utf8')
  const [html, script, style] = await Promise.all([read('index.html'), read('app.js'), read('app.css')])
  return { html, script, style }
}

function waitForInterruption(host: CommandHost): Promise<void> {
  const { signal } = host.interruption()
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
