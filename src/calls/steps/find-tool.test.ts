import { expect, test } from 'vitest'
import type { Tool } from '../../contract/tool/tool.js'
import { fixtureTool } from '../fixture-host.js'
import { findInDirectory } from './find-tool.js'

const Read = fixtureTool({ name: 'Read', aliases: ['View'] })
const Write = fixtureTool({ name: 'Write' })

function find(name: unknown, tools: readonly Tool[] = [Read, Write], absentTools?: readonly Tool[]) {
  return findInDirectory(name as string, { tools, ...(absentTools !== undefined && { absentTools }) })
}

test('a tool is found by its name', () => {
  expect(find('Write')).toBe(Write)
})

test('a tool is found by an old name', () => {
  expect(find('View')).toBe(Read)
})

test('a name beats an alias, whichever tool comes first', () => {
  const impostor = fixtureTool({ name: 'Other', aliases: ['Write'] })

  expect(find('Write', [impostor, Write])).toBe(Write)
  expect(find('Write', [Write, impostor])).toBe(Write)
})

test('an unknown name is answered with those it may have been meant for', () => {
  expect(() => find('Wirte')).toThrow('There is no tool "Wirte". Did you mean Write?')
})

test('an unknown name that is near nothing is sent to the tools at hand', () => {
  expect(() => find('Teleport')).toThrow(
    'There is no tool "Teleport". Use one of the tools you were given, or find one with ToolSearch.',
  )
})

test('a tool that is switched off is told apart from one that does not exist', () => {
  expect(() => find('View', [Write], [Read, Write])).toThrow(
    'The tool Read exists, but it is switched off or denied here. Work without it.',
  )
})

test('a hostile name makes no long answer', () => {
  expect(() => find('x'.repeat(1_000_000))).toThrow(/^.{1,300}$/)
})

test.each([[undefined], [null], [7], ['__proto__'], ['constructor'], ['']])(
  'the name %j is unknown, and no more',
  (name) => {
    expect(() => find(name)).toThrow(expect.objectContaining({ code: 'unknown_tool' }))
  },
)

test('a pool that may still change is looked at anew each time', () => {
  const pool = [Read]
  find('Read', pool)
  pool.push(Write)

  expect(find('Write', pool)).toBe(Write)
})
