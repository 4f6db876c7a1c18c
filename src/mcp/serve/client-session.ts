import type { LoggingLevel, Server } from '@modelcontextprotocol/server'
import type { ExchangeClient } from '../client/exchange.js'
import type { ListKind } from '../client/open-connection.js'
import type { ServerLogEntry } from '../client/server-requests.js'
import { type ClientNotification, isLevelEnabled } from './client-notification.js'
import { NotificationQueue } from './notification-queue.js'

/** How long a client may take to list its roots. */
const ROOTS_TIMEOUT_MS = 10_000

/** The session of one client: its identity for upstream servers, and the notifications that it receives. */
export class ClientSession implements ExchangeClient {
  readonly hasSession = true
  /** All notifications of the session, including those within its calls. */
  readonly notifications = new NotificationQueue()
  /** The minimum level of log messages that the client wants; undefined for all. */
  level: LoggingLevel | undefined
  isConnected = true
  readonly #server: Server

  constructor(server: Server) {
    this.#server = server
  }

  /** Returns the client's answer to `roots/list`; undefined if it has none. */
  async listRoots(): Promise<Record<string, unknown> | undefined> {
    if (this.#server.getClientCapabilities()?.roots === undefined) return undefined
    // Clients of the newest revision can be asked only within a call.
    return this.#server.listRoots(undefined, { timeout: ROOTS_TIMEOUT_MS }).catch(() => undefined)
  }

  notifyListChanged(kind: ListKind): void {
    this.#send(kind, { method: `notifications/${kind}/list_changed`, params: {} })
  }

  notifyResourceUpdated(uri: string): void {
    this.#send(`resource ${uri}`, { method: 'notifications/resources/updated', params: { uri } })
  }

  log({ serverName: _, ...params }: ServerLogEntry): void {
    if (!isLevelEnabled(params.level, this.level)) return
    const send = (notification: ClientNotification) => this.#server.notification(notification as never)
    this.notifications.addLog(params, send)
  }

  #send(key: string, notification: ClientNotification): void {
    this.notifications.add(key, () => this.#server.notification(notification as never))
  }
}
