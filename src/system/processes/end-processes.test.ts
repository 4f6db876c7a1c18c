import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, test, vi } from 'vitest'
import { endProcesses } from './end-processes.js'

/** The folder in which `ps` is searched instead of the folders of the system. */
const search = vi.hoisted(() => ({ path: undefined as string | undefined }))
vi.mock('../find-program.js', async (importOriginal) => {
  const originalModule = await importOriginal<typeof import('../find-program.js')>()
  return {
    ...originalModule,
    createSystemSearchPath: (path?: string) => search.path ?? originalModule.createSystemSearchPath(path),
  }
})

afterEach(() => {
  search.path = undefined
  vi.unstubAllGlobals()
})

/** Starts a command that leads a process group, and waits until it prints something. */
async function startGroup(command: string) {
  const child = spawn('sh', ['-c', command], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
  const exitEvent = once(child, 'exit')
  await once(child.stdout, 'data')
  return { leader: child.pid as number, exited: exitEvent }
}

/** Makes listing processes fail, as on macOS without `ps`. */
function preventListing(): void {
  vi.stubGlobal('process', Object.create(process, { platform: { value: 'darwin' } }))
  search.path = '/nonexistent'
}

test.runIf(process.platform !== 'win32')(
  'the group of the leader ends even if processes cannot be listed',
  async () => {
    const { leader, exited } = await startGroup('trap "" TERM; sleep 1000 & echo up; wait; sleep 1000')
    preventListing()

    expect(await endProcesses({ leader, mark: 'none' })).toBe(1)

    expect(await exited).toEqual([null, 'SIGKILL'])
  },
)

test.runIf(process.platform !== 'win32')(
  'nothing is signalled if the group has ended and processes cannot be listed',
  async () => {
    const { leader, exited } = await startGroup('echo up')
    await exited
    preventListing()

    expect(await endProcesses({ leader, mark: 'none' })).toBe(0)
  },
)
