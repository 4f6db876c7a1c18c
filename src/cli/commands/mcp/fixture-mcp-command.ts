import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { commands } from '../../commands.js'
import type { CommandIo } from '../../io/command.js'
import { runCli } from '../../run-cli.js'

/** A simulated user at the terminal. */
export interface FixtureUser {
  answer?: string
  browse?: (url: string) => Promise<void>
}

/** Runs `haft mcp` in a temporary home and project. */
export class FixtureMcpCommand {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'haft-mcp-')))
  readonly home = join(this.root, 'home')
  readonly project = join(this.root, 'project')
  readonly variables: Record<string, string> = { PATH: process.env.PATH ?? '' }
  user: FixtureUser | undefined

  constructor() {
    mkdirSync(join(this.project, '.git'), { recursive: true })
    mkdirSync(this.home)
    onTestFinished(() => rmSync(this.root, { recursive: true, force: true }))
  }

  async run(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
    const out: string[] = []
    const err: string[] = []
    const { user } = this
    const host = {
      cwd: this.project,
      homeDir: this.home,
      isInteractive: user !== undefined,
      hasErrorTerminal: false,
      readLine: async (prompt: string) => {
        err.push(prompt)
        return user?.answer
      },
      openBrowser: async (url: string) => user?.browse?.(url),
      interruption: () => ({ signal: new AbortController().signal, exitCode: undefined }),
    }
    const io = {
      args: ['mcp', ...args],
      variables: this.variables,
      platform: 'linux',
      homeDir: this.home,
      columns: undefined,
      out: (text: string) => void out.push(text),
      err: (text: string) => void err.push(text),
      host: async () => host,
    }
    const code = await runCli(io as unknown as CommandIo, commands)
    return { code, out: out.join(''), err: err.join('') }
  }

  write(path: string, content: unknown): string {
    const file = join(this.root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
    return file
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8')
  }
}
