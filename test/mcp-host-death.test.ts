import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { isAlive } from './lib/is-alive.js'

test.each(['SIGKILL', 'SIGTERM'] as const)('no MCP server is left after its host receives %s', async (signal) => {
  const folder = mkdtempSync(join(tmpdir(), 'haft-mcp-death-'))
  const host = spawn(process.execPath, ['test/fixtures/mcp/host.mjs', folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [stdoutChunk] = await once(host.stdout, 'data')
    expect(JSON.parse(String(stdoutChunk))).toMatchObject([{ status: 'connected' }])
    // The server may write its other output to the log a moment later.
    await expect.poll(() => readGrandchildPid(folder)).toBeGreaterThan(0)
    const grandchild = readGrandchildPid(folder)
    expect(isAlive(grandchild)).toBe(true)

    host.kill(signal)
    await once(host, 'exit')
    while (isAlive(grandchild)) await sleep(10)
  } finally {
    host.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
})

function readGrandchildPid(folder: string): number {
  const log = join(folder, 'child.log')
  return existsSync(log) ? Number(/child (\d+)\n/.exec(readFileSync(log, 'utf8'))?.[1] ?? 0) : 0
}
