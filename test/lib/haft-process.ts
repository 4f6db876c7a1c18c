import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** A line of JSON that a command wrote. */
export type Line = Record<string, unknown>

export interface HaftOptions {
  readonly cwd: string
  readonly home: string
  readonly variables?: Record<string, string>
}

/** A running command that the test communicates with. */
export class HaftProcess {
  readonly child: ChildProcessWithoutNullStreams
  readonly #lines: AsyncIterator<string>
  readonly exited: Promise<number | null>
  stderr = ''

  constructor(main: string, args: readonly string[], { cwd, home, variables }: HaftOptions) {
    const env = { PATH: process.env.PATH, HOME: home, ...variables }
    this.child = spawn(process.execPath, [main, ...args], { cwd, env })
    this.child.stdin.on('error', () => {})
    this.child.stderr.on('data', (chunk) => {
      this.stderr += chunk
    })
    this.exited = new Promise((resolve) => this.child.on('close', (code) => resolve(code)))
    this.#lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]()
  }

  send(...lines: readonly unknown[]): void {
    for (const line of lines) this.child.stdin.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`)
  }

  /** Reads the next line of output; fails if there is none. */
  async next(): Promise<Line> {
    const { value, done } = await this.#lines.next()
    if (done) throw new Error(`haft ended without another line of output. Standard error: ${this.stderr}`)
    return JSON.parse(value)
  }

  /** Closes the input and returns the rest of the output. */
  async finish(): Promise<{ code: number | null; lines: readonly Line[]; stderr: string }> {
    this.child.stdin.end()
    const lines: Line[] = []
    for (let next = await this.#lines.next(); !next.done; next = await this.#lines.next())
      lines.push(JSON.parse(next.value))
    return { code: await this.exited, lines, stderr: this.stderr }
  }
}

/** Runs a command to its end. */
export async function runHaft(
  main: string,
  args: readonly string[],
  options: HaftOptions & { readonly input?: string | Uint8Array },
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH, HOME: options.home, ...options.variables }
  const child = spawn(process.execPath, [main, ...args], { cwd: options.cwd, env })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    stderr += chunk
  })
  child.stdin.on('error', () => {})
  child.stdin.end(options.input)
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, stdout, stderr }
}
