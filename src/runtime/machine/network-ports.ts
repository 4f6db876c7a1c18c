import { join } from 'node:path'
import type { BrowserPort, BrowserSettings } from '../../contract/ports/browser.js'
import type { HttpPort } from '../../contract/ports/http.js'
import type { Ports } from '../../contract/ports/index.js'
import type { NotifyOptions, NotifyPort } from '../../contract/ports/notify.js'
import type { SchedulePort } from '../../contract/ports/schedule.js'
import type { WebSearchPort, WebSearchSettings } from '../../contract/ports/web-search.js'
import type { ManagedBrowserPort } from '../../ports/browser/create-browser-port.js'
import type { ManagedSchedulePort, ScheduleOptions } from '../../ports/schedule/create-schedule.js'
import { OnDemand } from './on-demand.js'

export interface NetworkPortsOptions {
  /** Hosts that may be fetched although they have private addresses. */
  readonly allowedPrivateHosts?: readonly string[] | undefined
  /** The service that searches the web; without it there is no `webSearch` port. */
  readonly webSearch?: WebSearchSettings | undefined
  /** How the user is notified; without it there is no `notify` port. */
  readonly notify?: NotifyOptions | undefined
  /** How scheduled prompts run; without it there is no `schedule` port. */
  readonly schedule?: Omit<ScheduleOptions, 'http'> | undefined
  readonly session: string
  readonly projectFolder: string
  /** The environment variables that name proxies. */
  readonly proxyVariables: Readonly<Record<string, string | undefined>>
  /** How the browser runs. */
  readonly browser?: BrowserSettings | undefined
  /** Environment variables that programs inherit. */
  readonly environment: () => Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly workingFolders: () => readonly string[]
  /** The folder for long results, which agents may read. */
  readonly resultsFolder: () => string
}

/** The ports that connect to other machines. */
export interface NetworkPorts {
  readonly ports: Pick<Ports, 'http' | 'browser'> & Partial<Pick<Ports, 'webSearch' | 'notify' | 'schedule'>>
  dispose(): Promise<void>
}

/** Creates the ports. Their code is loaded on first use. */
export function createNetworkPorts(options: NetworkPortsOptions): NetworkPorts {
  const { webSearch, notify, schedule, proxyVariables } = options
  const allowedPrivateHosts = [
    ...(options.allowedPrivateHosts ?? []),
    ...listHosts(webSearch?.url),
    ...listHosts(notify?.webhook?.url),
    ...Object.values(schedule?.workers ?? {}).flatMap(({ url }) => listHosts(url)),
  ]
  const opening = new OnDemand(async () => {
    const { createHttpPort } = await import('../../ports/http/create-http-port.js')
    return createHttpPort({ allowedPrivateHosts, variables: proxyVariables })
  })
  const http: HttpPort = {
    fetch: async (url, request) => (await opening.open()).fetch(url, request),
    openWebSocket: async (url, request) => (await opening.open()).openWebSocket(url, request),
  }
  const openingSchedule = schedule && new OnDemand(() => openSchedule(schedule, http))
  const openingBrowser = new OnDemand(() => openBrowser(options))
  return {
    ports: {
      http,
      browser: createBrowserOnDemand(openingBrowser),
      ...(webSearch !== undefined && { webSearch: createSearchPort(http, webSearch) }),
      ...(notify !== undefined && { notify: createNotifyOnDemand(http, notify, options) }),
      ...(openingSchedule !== undefined && { schedule: createScheduleOnDemand(openingSchedule) }),
    },
    async dispose() {
      openingSchedule?.opened?.dispose()
      const ports = await Promise.all([opening.getIfRequested(), openingBrowser.getIfRequested()])
      await Promise.all(ports.map((port) => port?.dispose()))
    },
  }
}

async function openBrowser(options: NetworkPortsOptions): Promise<ManagedBrowserPort> {
  const { createBrowserPort } = await import('../../ports/browser/create-browser-port.js')
  const { environment, proxyVariables, home, workingFolders, resultsFolder, allowedPrivateHosts = [] } = options
  return createBrowserPort({
    settings: options.browser,
    ...{ variables: environment(), proxyVariables, home, allowedPrivateHosts },
    writableFolders: workingFolders(),
    snapshotFolder: () => join(resultsFolder(), 'browser'),
  })
}

/** Creates a browser port that loads nothing before the first action. */
function createBrowserOnDemand(opening: OnDemand<ManagedBrowserPort>): BrowserPort {
  return {
    locate: async (options) => opening.opened?.locate(options),
    act: async (action, options) => (await opening.open()).act(action, options),
    readDownload: async (id, options) => (await opening.open()).readDownload(id, options),
    forgetDownload: async (id, options) => (await opening.open()).forgetDownload(id, options),
  }
}

/** Returns the host of a server that the user named. It may be on this machine. */
function listHosts(url: string | undefined): readonly string[] {
  return url !== undefined && URL.canParse(url) ? [new URL(url).hostname] : []
}

function createSearchPort(http: HttpPort, settings: WebSearchSettings): WebSearchPort {
  return {
    async search(query) {
      const { createWebSearch } = await import('../../ports/web-search/create-web-search.js')
      return createWebSearch(http, settings).search(query)
    },
  }
}

async function openSchedule(schedule: Omit<ScheduleOptions, 'http'>, http: HttpPort): Promise<ManagedSchedulePort> {
  const { createSchedule } = await import('../../ports/schedule/create-schedule.js')
  return createSchedule({ ...schedule, http })
}

function createScheduleOnDemand(opening: OnDemand<ManagedSchedulePort>): SchedulePort {
  return {
    create: async (task) => (await opening.open()).create(task),
    delete: async (id) => (await opening.open()).delete(id),
    list: async () => (await opening.open()).list(),
    trigger: async (run, options) => (await opening.open()).trigger(run, options),
  }
}

function createNotifyOnDemand(
  http: HttpPort,
  notify: NotifyOptions,
  { session, projectFolder, proxyVariables: variables }: NetworkPortsOptions,
): NotifyPort {
  return {
    async push(notification, callOptions) {
      const { createNotifyPort } = await import('../../ports/notify/create-notify-port.js')
      return createNotifyPort({ ...notify, http, session, projectFolder, variables }).push(notification, callOptions)
    },
  }
}
