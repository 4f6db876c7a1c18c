import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import type { StdioServerConfig } from '../../../mcp/config/server-config.js'
import { endGroup } from '../../../ports/end-group.js'

/** How long a server may take to end once nobody speaks to it any more. */
const GRACE_MS = 1_000
/** The variables that a program needs to run at all; secrets of ours are none of its business. */
const INHERITED = [
  'HOME',
  'LANG',
  'LOGNAME',
  'PATH',
  'SHELL',
  'TERM',
  'TMPDIR',
  'USER',
  'SystemRoot',
  'TEMP',
  'APPDATA',
]

/** A server that is started for a moment, and spoken to in lines. */
export class ProcessTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void
  onclose?: () => void
  onerror?: (error: Error) => void
  #child: ChildProcess | undefined
  #exited: Promise<void> = Promise.resolve()

  constructor(
    private readonly config: StdioServerConfig,
    private readonly options: { readonly cwd: string; readonly onLog: (text: string) => void },
  ) {}

  async start(): Promise<void> {
    const { command, args, env, cwd = this.options.cwd } = this.config
    const own = INHERITED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))
    const child = spawn(command, args, {
      cwd,
      env: { ...Object.fromEntries(own), ...env },
      detached: process.platform !== 'win32',
    })
    this.#child = child
    child.stdin.on('error', () => {})
    child.stderr.on('data', (chunk: Buffer) => this.options.onLog(chunk.toString('utf8')))
    createInterface({ input: child.stdout }).on('line', (line) => this.#take(line))
    this.#exited = new Promise((resolve) => {
      child.once('close', () => {
        resolve()
        this.onclose?.()
      })
    })
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', reject)
    })
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#child?.stdin?.write(`${JSON.stringify(message)}\n`)
  }

  async close(): Promise<void> {
    this.#child?.stdin?.end()
    await Promise.race([this.#exited, sleep(GRACE_MS)])
    endGroup(this.#child?.pid)
    if (this.#child?.pid !== undefined) await this.#exited
  }

  /** What is no JSON is rubbish that some servers print beside their messages. */
  #take(line: string): void {
    let message: JSONRPCMessage
    try {
      message = JSON.parse(line)
    } catch {
      return
    }
    this.onmessage?.(message)
  }
}
