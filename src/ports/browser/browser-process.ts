import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { ToolCallError } from '../../contract/errors.js'
import type { ServicePort, ServiceProcess } from '../../contract/host/service-process.js'
import type { BrowserAction } from '../../contract/ports/browser.js'
import { cutTextStart } from '../../shared/cut-text.js'
import { withoutReminderTags } from '../../shared/reminder-tags.js'
import { isDoneWithin } from '../../shared/waiting.js'

/** A request to the process that drives the browser. */
export interface HostRequest {
  readonly method: 'act' | 'locate' | 'download' | 'forget'
  readonly agent: string
  readonly action?: BrowserAction
  readonly files?: readonly string[]
  readonly permittedUrl?: string | undefined
  readonly tab?: string | undefined
  readonly download?: string
}

/** How the process starts the browser. */
export interface LaunchOptions {
  readonly executable: string
  readonly profileFolder: string
  readonly downloadsFolder: string
  readonly snapshotFolder: string
  readonly proxy: string
  readonly isSandboxed: boolean
  readonly environment: Readonly<Record<string, string>>
}

interface Waiter {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

/** Bounds the memory that a hostile page can make the process use. */
const MAX_HEAP_MB = 1024
const MAX_ERROR_OUTPUT_CHARS = 4_000
/** How long a browser may take to close. */
const MAX_PROFILE_SAVE_MS = 5_000

/** The process that drives the browser. It ends with this one, and the browser with it. */
export class BrowserProcess {
  readonly #service: ServiceProcess
  readonly #waiters = new Map<number, Waiter>()
  #errorOutput = ''
  #count = 0
  #isEnded = false

  private constructor(service: ServiceProcess) {
    this.#service = service
    createInterface({ input: service.stdout }).on('line', (line) => this.#receive(line))
    service.stderr.on('data', (chunk) => {
      this.#errorOutput = cutTextStart(this.#errorOutput + String(chunk), MAX_ERROR_OUTPUT_CHARS)
    })
    void service.exited.then((end) => this.#fail(end))
  }

  static async start(services: ServicePort, options: LaunchOptions): Promise<BrowserProcess> {
    const program = fileURLToPath(new URL('./process/browser-host.mjs', import.meta.url))
    const service = await services.start({
      command: process.execPath,
      args: [`--max-old-space-size=${MAX_HEAP_MB}`, program, JSON.stringify(options)],
      env: {},
      cwd: options.profileFolder,
    })
    return new BrowserProcess(service)
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Sends a request. If the signal is aborted, the process gives up the action. */
  async request<T>(request: HostRequest, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted()
    this.#count++
    const id = this.#count
    const cancel = () => this.#send({ id, method: 'cancel' })
    signal.addEventListener('abort', cancel, { once: true })
    try {
      return await new Promise<T>((resolve, reject) => {
        this.#waiters.set(id, { resolve: (result) => resolve(result as T), reject })
        if (this.#isEnded) this.#fail('it has ended')
        else this.#send({ id, ...request })
      })
    } finally {
      this.#waiters.delete(id)
      signal.removeEventListener('abort', cancel)
      signal.throwIfAborted()
    }
  }

  /** Ends the browser. One whose profile is kept has time to save cookies, which it writes when it closes. */
  async end({ keepsProfile = false } = {}): Promise<void> {
    this.#isEnded = true
    if (keepsProfile) {
      this.#service.stdin.end()
      await isDoneWithin(MAX_PROFILE_SAVE_MS, this.#service.exited)
    }
    await this.#service.end()
  }

  #send(message: object): void {
    this.#service.stdin.write(`${JSON.stringify(message)}\n`)
  }

  #receive(line: string): void {
    const { id, result, error } = JSON.parse(line) as {
      readonly id: number
      readonly result?: unknown
      readonly error?: { readonly message: string; readonly code?: string }
    }
    const waiter = this.#waiters.get(id)
    if (error === undefined) waiter?.resolve(result)
    else waiter?.reject(new ToolCallError('tool_failed', explainFailure(error)))
  }

  #fail(end: string): void {
    this.#isEnded = true
    const output =
      this.#errorOutput.trim() === '' ? '' : ` Its last output: ${withoutReminderTags(this.#errorOutput.trim())}`
    const message = `The browser ended (${end}), and its pages are lost. Use navigate to start it again.${output}`
    for (const waiter of this.#waiters.values()) waiter.reject(new ToolCallError('tool_failed', message))
  }
}

const MISSING_PACKAGE =
  'The browser tool needs the package playwright-core, which is not installed. The user can install it with: npm install playwright-core'
const NO_SANDBOX =
  "Chromium's sandbox does not work here. The user can run Haft where user namespaces are allowed, or set web.browser.sandbox to false if this machine is itself a sandbox."
const PROFILE_IN_USE =
  'The browser profile of the setting web.browser.profile is in use by another browser. Close that browser, or remove the setting.'

/** The start of Playwright's message about an element that was not ready in time. */
const TIMEOUT = /^locator\.(\w+): Timeout (\d+)ms exceeded\.?/

function describeTimeout(_: string, action: string, ms: string): string {
  return `${action} did not complete within ${Number(ms) / 1000} s: the element is missing, hidden, disabled or covered, or the page did not respond. Take a snapshot to see the current page.`
}

function explainFailure({ message, code }: { readonly message: string; readonly code?: string }): string {
  if (code === 'no_package') return MISSING_PACKAGE
  if (/No usable sandbox|setuid sandbox|without --no-sandbox/i.test(message)) return NO_SANDBOX
  if (/ProcessSingleton|profile .*in use|SingletonLock/i.test(message)) return PROFILE_IN_USE
  // Playwright adds a log of its attempts after the cause.
  const [cause = '', ...log] = message.split('\nCall log:')
  const attempts = log.join('').split('\n').slice(-4).join('\n').trim()
  const text = cause.trim().replace(TIMEOUT, describeTimeout)
  return withoutReminderTags(attempts === '' ? text : `${text}\n${attempts}`)
}
