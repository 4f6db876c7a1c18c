import { expect, test } from 'vitest'
import type { CommandHost } from '../io/command.js'
import { createTerminalAskPort } from './ask-in-terminal.js'

const options = [
  { label: 'Tabs', description: 'wide' },
  { label: 'Spaces', description: 'narrow' },
]
const singleChoice = { question: 'Which?', header: 'Indent', options, multiSelect: false }
const multipleChoice = { ...singleChoice, question: 'Which ones?', multiSelect: true }

async function ask(...typedLines: string[]) {
  const lines = [...typedLines]
  const host = { readLine: async () => lines.shift() } as Partial<CommandHost> as CommandHost
  return createTerminalAskPort({ err: () => {} }, host).askQuestions([singleChoice, multipleChoice])
}

test('in a terminal question, numbers select options and other text is a free answer', async () => {
  expect(await ask('2', '1, 2')).toEqual([
    { question: 'Which?', chosen: ['Spaces'] },
    { question: 'Which ones?', chosen: ['Tabs', 'Spaces'] },
  ])
  expect(await ask('1 2', '')).toEqual([
    { question: 'Which?', chosen: [], other: '1 2' },
    { question: 'Which ones?', chosen: [] },
  ])
  expect(await ask('3', 'none')).toMatchObject([{ other: '3' }, { other: 'none' }])
})

test('the end of the terminal input declines the open questions', async () => {
  expect(await ask('1')).toBeUndefined()
})
