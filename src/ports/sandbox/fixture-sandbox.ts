import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_SANDBOX_SETTINGS, type SandboxSettings } from '../../contract/host/sandbox-settings.js'
import type { Confinement } from '../../contract/ports/shell.js'
import { killProcessGroup } from '../../system/processes/end-processes.js'
import type { ConfinedLaunch } from '../shell/confinement.js'
import { withInheritedFiles } from '../shell/confinement.js'
import type { SandboxOptions } from './backend.js'
import { createSandbox, type Sandbox } from './create-sandbox.js'

interface ConfinedRun {
  readonly exitCode: number | null
  readonly output: string
  readonly refusals: readonly string[]
  readonly confinement: Confinement
}

/** A temporary folder that contains a project, a home folder and the files of a sandbox, for tests. */
export class SandboxFixture {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'haft-held-')))
  readonly home = this.makeFolder('home')
  readonly project = this.makeFolder('project')
  private readonly sandboxes: Sandbox[] = []

  makeFolder(name: string): string {
    const path = join(this.root, name)
    mkdirSync(path, { recursive: true })
    return path
  }

  openSandbox(settings: Partial<SandboxSettings> = {}, options: Partial<SandboxOptions> = {}): Sandbox {
    const newSandbox = createSandbox({
      settings: { ...DEFAULT_SANDBOX_SETTINGS, ...settings },
      workingFolders: () => [this.project],
      home: this.home,
      platform: process.platform,
      machine: process.arch,
      searchPath: process.env.PATH ?? '',
      temporaryFolder: this.makeFolder('temporary'),
      ...options,
    })
    this.sandboxes.push(newSandbox)
    return newSandbox
  }

  /** Confines a command. Throws without a sandbox, because commands of these tests must never run unconfined. */
  async confine(
    sandbox: Sandbox,
    { confinement = 'workspace', cwd = this.project, folders, reads }: RunOptions = {},
  ): Promise<ConfinedLaunch> {
    const options = { ...(folders !== undefined && { folders }), ...(reads !== undefined && { reads }) }
    const confinedLaunch = await sandbox.confine({ id: 'test', confinement, cwd, ...options })
    if (confinedLaunch.confinement !== confinement)
      throw new Error(`there is no sandbox for the command: ${(await sandbox.status()).reason}`)
    return confinedLaunch
  }

  /** Runs a command as the shell port does. */
  async run(
    sandbox: Sandbox,
    command: string,
    { confinement = 'workspace', cwd = this.project, ...options }: RunOptions = {},
  ): Promise<ConfinedRun> {
    const confinedLaunch = await this.confine(sandbox, { confinement, cwd, ...options })
    const [program = '', ...args] = [...confinedLaunch.argvPrefix, 'bash', '-c', command]
    const env: Record<string, string | undefined> = {
      ...process.env,
      ...options.environment,
      ...confinedLaunch.environment,
    }
    const child = withInheritedFiles(confinedLaunch, ['ignore', 'pipe', 'pipe'], (stdio) =>
      spawn(program, args, { cwd, env, stdio, detached: true }),
    )
    confinedLaunch.watch?.(() => killProcessGroup(child.pid))
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    const exitCode = await new Promise<number | null>((resolve) => child.on('close', resolve))
    await confinedLaunch.release?.()
    return {
      exitCode,
      output,
      refusals: confinedLaunch.explain({ output, exitCode }),
      confinement: confinedLaunch.confinement,
    }
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
  readonly reads?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}
