import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_SANDBOX_SETTINGS, type SandboxSettings } from '../../contract/host/sandbox-settings.js'
import type { Confinement } from '../../contract/ports/shell.js'
import type { Confined } from '../shell/confinement.js'
import { withInheritedFiles } from '../shell/confinement.js'
import type { SandboxOptions } from './backend.js'
import { createSandbox, type Sandbox } from './create-sandbox.js'

interface HeldRun {
  readonly exitCode: number | null
  readonly output: string
  readonly refusals: readonly string[]
  readonly confinement: Confinement
}

/** A temporary folder with a project, a home and a sandbox for tests. */
export class SandboxFixture {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'haft-held-')))
  readonly home = this.folder('home')
  readonly project = this.folder('project')
  private readonly sandboxes: Sandbox[] = []

  folder(name: string): string {
    const path = join(this.root, name)
    mkdirSync(path, { recursive: true })
    return path
  }

  sandbox(settings: Partial<SandboxSettings> = {}, options: Partial<SandboxOptions> = {}): Sandbox {
    const made = createSandbox({
      settings: { ...DEFAULT_SANDBOX_SETTINGS, ...settings },
      workingFolders: () => [this.project],
      home: this.home,
      platform: process.platform,
      machine: process.arch,
      searchPath: process.env.PATH ?? '',
      temporaryFolder: this.folder('temporary'),
      ...options,
    })
    this.sandboxes.push(made)
    return made
  }

  /** Fails without a sandbox: what these tests try must never reach the machine. */
  async hold(
    sandbox: Sandbox,
    { confinement = 'workspace', cwd = this.project, folders }: RunOptions = {},
  ): Promise<Confined> {
    const own = folders === undefined ? {} : { folders }
    const held = await sandbox.confine({ id: 'test', confinement, cwd, environment: {}, ...own })
    if (held.confinement !== confinement)
      throw new Error(`nothing holds the command: ${(await sandbox.status()).reason}`)
    return held
  }

  /** Runs a command as the shell port does. */
  async run(
    sandbox: Sandbox,
    command: string,
    { confinement = 'workspace', cwd = this.project, ...rest }: RunOptions = {},
  ): Promise<HeldRun> {
    const held = await this.hold(sandbox, { confinement, cwd, ...rest })
    const [program = '', ...args] = [...held.argvPrefix, 'bash', '-c', command]
    const env = { ...process.env, ...held.environment }
    const child = withInheritedFiles(held, ['ignore', 'pipe', 'pipe'], (stdio) =>
      spawn(program, args, { cwd, env, stdio }),
    )
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    const exitCode = await new Promise<number | null>((resolve) => child.on('close', resolve))
    await held.release?.()
    return { exitCode, output, refusals: held.explain({ output, exitCode }), confinement: held.confinement }
  }

  async remove(): Promise<void> {
    for (const sandbox of this.sandboxes) await sandbox.close()
    rmSync(this.root, { recursive: true, force: true })
  }
}

interface RunOptions {
  readonly confinement?: Confinement
  readonly cwd?: string
  readonly folders?: readonly string[]
}
