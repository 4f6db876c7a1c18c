import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ToolCallError } from '../../contract/errors.js'
import type {
  BrowserAction,
  BrowserLocation,
  BrowserOutcome,
  BrowserPort,
  BrowserSettings,
} from '../../contract/ports/browser.js'
import { createCheckingProxy } from '../../system/checking-proxy.js'
import { makeFolder } from '../../system/make-folder.js'
import { makePrivateTemporaryFolder } from '../../system/private-folders.js'
import { findProxyFor, readProxies } from '../../system/proxy-variables.js'
import { createWebHostCheck, describeRefusedHost, type LookUpHost } from '../../system/reach-host.js'
import { createServicePort, type NodeServicePort } from '../shell/create-service-port.js'
import { BrowserProcess } from './browser-process.js'
import { type BrowserSearch, findBrowser } from './find-browser.js'

export interface BrowserPortOptions extends BrowserSearch {
  /** The environment variables that name proxies. */
  readonly proxyVariables: Readonly<Record<string, string | undefined>>
  readonly settings?: BrowserSettings | undefined
  /** Hosts that may have private addresses. */
  readonly allowedPrivateHosts: readonly string[]
  /** The folder for whole snapshots, which agents may read. */
  readonly snapshotFolder: () => string
  readonly lookUp?: LookUpHost | undefined
}

export interface ManagedBrowserPort extends BrowserPort {
  /** Ends the browser and removes its temporary files. */
  dispose(): Promise<void>
}

const MAX_SAVED_BYTES = 200 * 1024 ** 2
const MAIN_AGENT = 'main'
const MAX_REFUSALS = 20

/** Creates the browser port of this machine. The browser starts with the first action, and again after it has ended. */
export function createBrowserPort(options: BrowserPortOptions): ManagedBrowserPort {
  const services = createServicePort(options.variables)
  const refusedHosts = new Set<string>()
  let proxy: Promise<Server> | undefined
  let folder: string | undefined
  let startingProcess: Promise<BrowserProcess> | undefined
  let startedProcess: BrowserProcess | undefined
  let isDisposed = false

  async function open(): Promise<BrowserProcess> {
    if (isDisposed) throw new ToolCallError('unavailable', 'The session is ending.')
    if (startedProcess?.isEnded === true) {
      await startedProcess.end()
      startingProcess = undefined
      startedProcess = undefined
    }
    startingProcess ??= start().catch((error) => {
      startingProcess = undefined
      throw error
    })
    startedProcess = await startingProcess
    return startedProcess
  }

  async function start(): Promise<BrowserProcess> {
    const executable = requireBrowser(options)
    folder ??= makeTemporaryFolder(services)
    proxy ??= openProxy(options, (host) => {
      if (refusedHosts.size < MAX_REFUSALS) refusedHosts.add(host)
    })
    const { port } = (await proxy).address() as AddressInfo
    const { profile, sandbox = process.getuid?.() !== 0 } = options.settings ?? {}
    const profileFolder = profile ?? mkdtempSync(join(folder, 'profile-'))
    makeFolder(profileFolder)
    writePreferences(profileFolder)
    return BrowserProcess.start(services, {
      ...{ executable, profileFolder },
      downloadsFolder: mkdtempSync(join(folder, 'downloads-')),
      snapshotFolder: options.snapshotFolder(),
      proxy: `http://127.0.0.1:${port}`,
      isSandboxed: sandbox,
      environment: createBrowserEnvironment(options, folder),
    })
  }

  async function act(action: BrowserAction, actOptions: Parameters<BrowserPort['act']>[1]): Promise<BrowserOutcome> {
    const { agent = MAIN_AGENT, signal, permittedUrl } = actOptions
    if (action.type === 'navigate') await requireReachable(options, action.url)
    const browser = await open()
    refusedHosts.clear()
    const files = action.type === 'upload' ? await copyFiles(folder ?? tmpdir(), action.files) : undefined
    const sentAction = action.type === 'upload' ? { ...action, files: [] } : action
    try {
      const request = { method: 'act', agent, action: sentAction, permittedUrl } as const
      const outcome = await browser.request<BrowserOutcome>(
        { ...request, ...(files !== undefined && { files: files.paths }) },
        signal,
      )
      const refusals = [...refusedHosts].map((host) => `A connection was refused: ${describeRefusedHost(host)}`)
      return { ...outcome, notes: [...outcome.notes, ...refusals] }
    } catch (error) {
      const [refusedHost] = refusedHosts
      if (refusedHost !== undefined && isConnectionFailure(error))
        throw new ToolCallError('tool_failed', describeRefusedHost(refusedHost), { cause: error })
      throw error
    }
  }

  return {
    act,
    async locate({ agent = MAIN_AGENT, tab, signal }) {
      if (startedProcess === undefined || startedProcess.isEnded) return undefined
      const request = { method: 'locate', agent, tab } as const
      return (await startedProcess.request<{ location?: BrowserLocation }>(request, signal)).location
    },
    async readDownload(id, { agent = MAIN_AGENT, signal }) {
      const browser = await open()
      const request = { method: 'download', agent, download: id } as const
      const { name, path } = await browser.request<{ name: string; path: string }>(request, signal)
      if ((await stat(path)).size > MAX_SAVED_BYTES)
        throw new ToolCallError('tool_failed', `Download ${id} is larger than ${MAX_SAVED_BYTES / 1024 ** 2} MB.`)
      return { name, content: await readFile(path) }
    },
    async forgetDownload(id, { agent = MAIN_AGENT, signal }) {
      await (await open()).request({ method: 'forget', agent, download: id }, signal)
    },
    async dispose() {
      isDisposed = true
      const browser = await startingProcess?.catch(() => undefined)
      await browser?.end({ keepsProfile: options.settings?.profile !== undefined })
      await services.dispose()
      const server = await proxy
      server?.closeAllConnections()
      server?.close()
      if (folder !== undefined) await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

function requireBrowser(options: BrowserPortOptions): string {
  const executable = options.settings?.executable ?? findBrowser(options)
  if (executable !== undefined) return executable
  throw new ToolCallError(
    'unavailable',
    'No browser was found. The user can install Chromium, Chrome or Edge (on Debian and Ubuntu: apt install chromium; on macOS: brew install --cask chromium), or name the program in the setting web.browser.executable. `haft doctor` shows what was found. Work without this tool until then; WebFetch can read pages that need no browser.',
  )
}

function makeTemporaryFolder(services: NodeServicePort): string {
  const folder = makePrivateTemporaryFolder(tmpdir(), 'browser')
  services.removeIfKilled(folder)
  return folder
}

/**
 * Turns off what the browser would send on its own: form fields, typed search text, failed URLs and requests for predicted
 * pages.
 */
const PREFERENCES = {
  autofill: { profile_enabled: false, credit_card_enabled: false },
  credentials_enable_service: false,
  search: { suggest_enabled: false },
  alternate_error_pages: { enabled: false },
  net: { network_prediction_options: 2 },
  webrtc: { ip_handling_policy: 'disable_non_proxied_udp' },
}

/** Sets the preferences of a new profile. */
function writePreferences(profileFolder: string): void {
  const file = join(profileFolder, 'Default', 'Preferences')
  if (existsSync(file)) return
  makeFolder(dirname(file))
  writeFileSync(file, JSON.stringify(PREFERENCES), { mode: 0o600 })
}

/** Opens the proxy through which every connection of the browser goes. It listens only on this machine. */
function openProxy(
  { allowedPrivateHosts, proxyVariables, lookUp }: BrowserPortOptions,
  onRefusal: (host: string) => void,
): Promise<Server> {
  const checkHost = createWebHostCheck(allowedPrivateHosts, lookUp)
  const proxies = readProxies(proxyVariables)
  const server = createCheckingProxy({
    async checkHost(host) {
      const hostReach = await checkHost(host)
      if (!hostReach.isAllowed && hostReach.reason !== 'unknown') onRefusal(hostReach.host)
      return hostReach
    },
    describeRefusal: ({ host }) => describeRefusedHost(host),
    findUpstream: (host, isSecure) => findProxyFor(proxies, host, isSecure),
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      server.unref()
      resolve(server)
    })
  })
}

/** Reports a refused address before the browser starts, with the cause. */
async function requireReachable({ allowedPrivateHosts, lookUp }: BrowserPortOptions, url: string): Promise<void> {
  const hostReach = await createWebHostCheck(allowedPrivateHosts, lookUp)(new URL(url).hostname)
  if (!hostReach.isAllowed && hostReach.reason !== 'unknown')
    throw new ToolCallError('tool_failed', describeRefusedHost(hostReach.host))
}

function isConnectionFailure(error: unknown): boolean {
  return error instanceof ToolCallError && /net::ERR_/.test(error.message)
}

/** Chromium creates a socket in its temporary folder, and the path of a socket has at most 104 bytes on some systems. */
const MAX_SOCKET_FOLDER_CHARS = 55

/** Returns the few variables that a browser needs. It gets its own home folder, unless the user keeps a profile. */
function createBrowserEnvironment(
  { variables, settings }: BrowserPortOptions,
  folder: string,
): Readonly<Record<string, string>> {
  const names = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'HOME', 'SYSTEMROOT', 'LOCALAPPDATA', 'PROGRAMFILES']
  const keptVariables = names.flatMap((name) => {
    const value = variables[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const temporaryFolder = folder.length <= MAX_SOCKET_FOLDER_CHARS ? { TMPDIR: folder } : {}
  return {
    ...Object.fromEntries(keptVariables),
    ...temporaryFolder,
    ...(settings?.profile === undefined && { HOME: folder }),
  }
}

/** Copies the files of an upload, so that the browser reads exactly the permitted content. */
async function copyFiles(
  folder: string,
  files: Extract<BrowserAction, { type: 'upload' }>['files'],
): Promise<{ readonly paths: readonly string[] }> {
  const uploads = mkdtempSync(join(folder, 'upload-'))
  const paths: string[] = []
  for (const [index, { name, content }] of files.entries()) {
    const ownFolder = join(uploads, String(index))
    mkdirSync(ownFolder)
    const path = join(ownFolder, name)
    await writeFile(path, content, { mode: 0o600 })
    paths.push(path)
  }
  return { paths }
}
