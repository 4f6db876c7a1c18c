import { spawn } from 'node:child_process'
import { createHmac, randomUUID } from 'node:crypto'
import type { HttpPort } from '../../contract/ports/http.js'
import type {
  Notification,
  NotificationChannel,
  NotificationDelivery,
  NotifyOptions,
  NotifyPort,
} from '../../contract/ports/notify.js'
import { reasonOf } from '../../shared/reason-of.js'
import { findSystemProgram } from '../../system/find-program.js'

export interface NotifyPortOptions extends NotifyOptions {
  /** Sends the request to the webhook. */
  readonly http: HttpPort
  readonly session: string
  readonly projectFolder: string
  readonly variables: Readonly<Record<string, string | undefined>>
}

const DESKTOP_TIME_LIMIT_MS = 5_000
const WEBHOOK_TIME_LIMIT_MS = 10_000
const MAX_WEBHOOK_TRIES = 3
const MAX_ANSWER_BYTES = 64 * 1024

/** Sends notifications to all channels of the options at the same time. */
export function createNotifyPort(options: NotifyPortOptions): NotifyPort {
  const { desktop, webhook, showInTerminal } = options
  return {
    async push(notification, { signal }) {
      const deliveries: Promise<NotificationDelivery>[] = []
      const deliver = (channel: NotificationChannel, send: () => Promise<void>) => {
        deliveries.push(
          send().then(
            () => ({ channel }),
            (error: unknown) => ({ channel, problem: reasonOf(error) }),
          ),
        )
      }
      if (showInTerminal !== undefined) deliver('terminal', async () => showInTerminal(notification))
      if (desktop === true) deliver('desktop', () => showOnDesktop(notification, options))
      if (webhook !== undefined) deliver('webhook', () => callWebhook(notification, options, signal))
      return await Promise.all(deliveries)
    },
  }
}

interface DesktopProgram {
  readonly path: string
  /** Returns the arguments of the program. Texts are passed as arguments, never as part of a script. */
  toArguments(notification: Notification): readonly string[]
}

const APPLE_SCRIPT = [
  ...['-e', 'on run argv', '-e', 'display notification (item 2 of argv) with title (item 1 of argv)'],
  ...['-e', 'end run'],
]

function findDesktopProgram({ variables, projectFolder }: NotifyPortOptions): DesktopProgram {
  const isMac = process.platform === 'darwin'
  const name = isMac ? 'osascript' : 'notify-send'
  const path = findSystemProgram(name, { searchPath: variables.PATH ?? '', writableFolders: [projectFolder] })
  if (path === undefined) throw new Error(`${name} is not installed`)
  return isMac
    ? { path, toArguments: ({ title, body }) => [...APPLE_SCRIPT, title, body] }
    : { path, toArguments: ({ title, body }) => ['--app-name=Haft', '--', title, escapeMarkup(body)] }
}

/** Escapes a text, because desktops show the body as markup. */
function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

const DESKTOP_VARIABLES = [
  ...['HOME', 'LANG', 'LC_ALL', 'PATH', 'USER', 'XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'],
  ...['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY'],
]

/** Returns what a desktop program needs to find the desktop. Other variables may contain keys. */
function createDesktopVariables(variables: NotifyPortOptions['variables']): Record<string, string> {
  return Object.fromEntries(
    DESKTOP_VARIABLES.flatMap((name) => (variables[name] === undefined ? [] : [[name, variables[name]]])),
  )
}

async function showOnDesktop(notification: Notification, options: NotifyPortOptions): Promise<void> {
  const { path, toArguments } = findDesktopProgram(options)
  await new Promise<void>((resolve, reject) => {
    const env = createDesktopVariables(options.variables)
    const child = spawn(path, toArguments(notification), { stdio: 'ignore', timeout: DESKTOP_TIME_LIMIT_MS, env })
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      if (code === 0) resolve()
      else reject(new Error(signal === null ? `${path} exited with ${code}` : `${path} did not answer`))
    })
  })
}

/**
 * Sends the notification. The receiver can check the signature: HMAC-SHA256 of the time stamp, a dot and the body. The id
 * stays the same if the request is repeated.
 */
async function callWebhook(
  notification: Notification,
  { webhook, http, session, projectFolder }: NotifyPortOptions,
  signal: AbortSignal,
): Promise<void> {
  const { url = '', secret } = webhook ?? {}
  const content = { id: randomUUID(), ...notification, session_id: session, project: projectFolder }
  const body = JSON.stringify(content)
  for (let tryCount = 1; ; tryCount++) {
    const timeStamp = String(Math.floor(Date.now() / 1000))
    const { status } = await http.fetch(url, {
      ...{ method: 'POST', body, signal, timeoutMs: WEBHOOK_TIME_LIMIT_MS, maxBytes: MAX_ANSWER_BYTES },
      headers: {
        'content-type': 'application/json',
        'x-haft-timestamp': timeStamp,
        ...(secret !== undefined && { 'x-haft-signature': `sha256=${sign(secret, `${timeStamp}.${body}`)}` }),
      },
    })
    if (status >= 200 && status < 300) return
    const mayBeRepeated = status === 429 || status >= 500
    if (!mayBeRepeated || tryCount >= MAX_WEBHOOK_TRIES) throw new Error(`the webhook answered with status ${status}`)
  }
}

function sign(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('hex')
}
