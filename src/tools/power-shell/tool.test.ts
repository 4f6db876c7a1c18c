import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Spill } from '../../results/spill.js'
import { callTool } from '../../testing/call-tool.js'
import { fakeShell } from '../../testing/fakes.js'
import { openTestShell } from '../../testing/test-shell.js'
import { PowerShellTool } from './tool.js'

test('the tool requires pwsh, and its commands are not parsed as Bash', () => {
  expect(PowerShellTool.requiredPrograms).toEqual(['pwsh'])
  expect(PowerShellTool.command({ command: 'ls' })).toEqual({ text: 'ls', language: 'powershell' })
})

test('a command runs in PowerShell, and its failure is reported', async () => {
  const shell = fakeShell({ text: 'Get-Item: no such item\n', exitCode: 1 })

  const text = await callTool(PowerShellTool, { command: 'Get-Item x', description: 'Gets x' }, { shell })

  expect(text).toBe('Get-Item: no such item\n\nExit code 1.')
  expect(shell.requests).toEqual([
    {
      id: 'toolu_test',
      command: 'Get-Item x',
      cwd: '/project',
      analysis: expect.objectContaining({ text: 'Get-Item x', isUnresolved: true, isReadOnly: false }),
      shell: 'powershell',
      timeoutMs: 120_000,
      onTimeout: 'end',
      description: 'Gets x',
    },
  ])
})

test('no command is read-only or concurrency-safe', () => {
  const input = { command: 'Get-ChildItem' }
  expect(PowerShellTool.isReadOnly(input)).toBe(false)
  expect(PowerShellTool.isConcurrencySafe(input)).toBe(false)
  expect(PowerShellTool.resources().unknown).toBe(true)
})

test('a command continues in the background at its time limit, unless it only waits', async () => {
  const shell = fakeShell()
  const options = { tools: [{ name: 'TaskOutput', readsTasks: true }] } as never
  await callTool(PowerShellTool, { command: 'npm test' }, { shell, options })
  await callTool(PowerShellTool, { command: 'Start-Sleep 9999' }, { shell, options })

  expect(shell.requests.map(({ onTimeout }) => onTimeout)).toEqual(['background', 'end'])
})

test('a command runs with the pwsh program on the PATH', async () => {
  const openOutput = (directory: string) => (id: string) => new Spill({ directory, id })
  const programs = openTestShell(openOutput)
  const bin = join(programs.folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'pwsh'), '#!/bin/sh\nfor last; do :; done; echo "ran $last"; exit 3\n', { mode: 0o755 })
  const environment = { ...process.env, PATH: `${bin}:${process.env.PATH}` }
  const realShell = openTestShell(openOutput, { environment })
  try {
    const text = await callTool(
      PowerShellTool,
      { command: 'Get-Item "a b"' },
      { shell: realShell.port, cwd: realShell.folder },
    )

    expect(text).toBe('ran Get-Item "a b"\n\nExit code 3.')
  } finally {
    await realShell.close()
    await programs.close()
  }
})
