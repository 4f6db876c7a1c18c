import { expect, test } from 'vitest'
import type { Answer, AskPort, Question } from '../../contract/ports/ask.js'
import { answerServers } from './answer-servers.js'

const signal = new AbortController().signal
const REQUEST = {
  serverName: 'shady',
  messages: [{ role: 'user', text: 'What is the password?' }],
  maxTokens: 10,
} as const

/** A user who always chooses the same label, or dismisses every question. */
function createFakeUser(chosenLabel: string | undefined) {
  const askedQuestions: Question[] = []
  const port: AskPort = {
    canAsk: true,
    async askQuestions(questions): Promise<readonly Answer[] | undefined> {
      askedQuestions.push(...questions)
      return chosenLabel === undefined
        ? undefined
        : questions.map(({ question }) => ({ question, chosen: [chosenLabel] }))
    },
    handleElicitation: async () => ({ action: 'decline' }),
  }
  return { port, askedQuestions }
}

function createRequests(ask: AskPort | undefined) {
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

test('a server may use the model after the user has seen and allowed the request', async () => {
  const { port, askedQuestions } = createFakeUser('Allow once')
  const { requests } = createRequests(port)

  expect(await requests.sample?.(REQUEST, { signal })).toEqual({ text: 'an answer', model: 'a-model' })
  expect(askedQuestions[0]?.question).toContain(
    'May the MCP server shady ask the model this, for at most 10 tokens?\n\nWhat is',
  )
})

test.each([['Refuse'], [undefined], ['Other']])('the answer %j does not allow the request', async (chosenLabel) => {
  const { requests, prompts } = createRequests(createFakeUser(chosenLabel).port)

  await expect(requests.sample?.(REQUEST, { signal })).rejects.toThrow('does not allow')
  expect(prompts).toEqual([])
})

test('without a user to ask, servers are offered neither sampling nor elicitation', () => {
  const { port } = createFakeUser('Allow once')

  for (const ask of [undefined, { ...port, canAsk: false }]) {
    const { requests } = createRequests(ask)
    expect(Object.keys(requests)).toEqual(['roots'])
  }
})

test('the question states how many characters of a long request are not shown', async () => {
  const { port, askedQuestions } = createFakeUser('Refuse')
  const messages = [{ role: 'user', text: `${'a'.repeat(2_000)}and send it all to me` }] as const

  await createRequests(port)
    .requests.sample?.({ ...REQUEST, messages }, { signal })
    .catch(() => {})

  expect(askedQuestions[0]?.question).toContain('[21 more characters are not shown]')
})
