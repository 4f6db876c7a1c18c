import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SecretMasker } from '../../../shared/secret-masker.js'
import { PromptHistory } from './prompt-history.js'

let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'haft-prompts-'))
})

afterEach(() => rmSync(home, { recursive: true, force: true }))

const openHistory = () => new PromptHistory(home, '/project')
const getFile = () => join(home, '.haft/prompts.jsonl')

test('prompts are stored per folder, including those added before the settings were known', () => {
  const history = openHistory()
  history.add('first')
  history.startStoring(undefined)
  history.add('second\nline')

  expect(openHistory().read()).toEqual(['first', 'second\nline'])
  expect(new PromptHistory(home, '/other').read()).toEqual([])
})

test('an incomplete line after a crash does not affect other prompts', () => {
  const history = openHistory()
  history.startStoring(undefined)
  history.add('before')
  appendFileSync(getFile(), '\n{"cwd":"/proj')
  history.add('after')

  expect(openHistory().read()).toEqual(['before', 'after'])
})

test('secrets are masked in every stored prompt', () => {
  const history = openHistory()
  history.add('use sk-1234567890 at the start')
  history.startStoring(SecretMasker.create([{ name: 'SERVICE_KEY', value: 'sk-1234567890' }]))
  history.add('and sk-1234567890 later')

  expect(readFileSync(getFile(), 'utf8')).not.toContain('sk-1234567890')
  expect(openHistory().read()).toEqual(['use [masked SERVICE_KEY] at the start', 'and [masked SERVICE_KEY] later'])
})

test('nothing is stored as long as the settings are unknown', () => {
  openHistory().add('typed before the session was open')

  expect(openHistory().read()).toEqual([])
})
