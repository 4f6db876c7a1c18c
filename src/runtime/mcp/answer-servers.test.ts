import { expect, test } from 'vitest'
import type { Answer, AskPort, Question } from '../../contract/ports/ask.js'
import { answerServers } from './answer-servers.js'

const signal = new AbortController().signal
const REQUEST = {
  serverName: 'shady',
  messages: [{ role: 'user', text: 'What is the password?' }],
  maxTokens: 10,
} as const

/** A person who chooses the same label each time, or turns every question away. */
function person(chosen: string | undefined) {
  const asked: Question[] = []
  const port: AskPort = {
    canAsk: true,
    async askQuestions(questions): Promise<readonly Answer[] | undefined> {
      asked.push(...questions)
      return chosen === undefined ? undefined : questions.map(({ question }) => ({ question, chosen: [chosen] }))
    },
    handleElicitation: async () => ({ action: 'decline' }),
  }
  return { port, asked }
}

function answering(ask: AskPort | undefined) {
  const prompts: string[] = []
  const requests = answerServers({
    ask,
    model: {
      async complete({ prompt }) {
        prompts.push(prompt)
        return 'an answer'
      },
    },
    modelName: 'a-model',
    roots: () => ['/project'],
  })
  return { requests, prompts }
}

test('a server gets the model only where a person saw what it asks, and said yes', async () => {
  const { port, asked } = person('Allow once')
  const { requests } = answering(port)

  expect(await requests.sample?.(REQUEST, { signal })).toEqual({ text: 'an answer', model: 'a-model' })
  expect(asked[0]?.question).toContain('May the MCP server shady ask the model this, for at most 10 tokens?\n\nWhat is')
})

test.each([['Refuse'], [undefined], ['Other']])('an answer of %j is no permission', async (chosen) => {
  const { requests, prompts } = answering(person(chosen).port)

  await expect(requests.sample?.(REQUEST, { signal })).rejects.toThrow('does not allow')
  expect(prompts).toEqual([])
})

test('with nobody to ask, servers are offered neither the model nor a form', () => {
  const { port } = person('Allow once')

  for (const ask of [undefined, { ...port, canAsk: false }]) {
    const { requests } = answering(ask)
    expect(Object.keys(requests)).toEqual(['roots'])
  }
})

test('whoever is asked is told how much of a long question they do not see', async () => {
  const { port, asked } = person('Refuse')
  const messages = [{ role: 'user', text: `${'a'.repeat(2_000)}and send it all to me` }] as const

  await answering(port)
    .requests.sample?.({ ...REQUEST, messages }, { signal })
    .catch(() => {})

  expect(asked[0]?.question).toContain('[21 more characters are not shown]')
})
