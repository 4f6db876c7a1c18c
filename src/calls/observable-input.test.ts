import { expect, test } from 'vitest'
import { observableInput } from './call.js'
import { fixtureTool } from './fixture-host.js'

test('a tool that adds nothing shows its input itself', () => {
  const input = { text: 'x' }

  expect(observableInput(fixtureTool(), input)).toBe(input)
})

test('a tool adds to a copy, and cannot reach into the input', () => {
  const tool = fixtureTool({
    backfillObservableInput(input) {
      input.path = `/project/${input.text}`
      ;(input.list as { n: number }[])[0] = { n: 2 }
      ;(input.deep as { n: number }).n = 2
    },
  })
  const input = { text: 'x', list: [{ n: 1 }], deep: { n: 1 } }

  expect(observableInput(tool, input)).toEqual({ text: 'x', path: '/project/x', list: [{ n: 2 }], deep: { n: 2 } })
  expect(input).toEqual({ text: 'x', list: [{ n: 1 }], deep: { n: 1 } })
})

test('what is not plain data is shown as it is', () => {
  const date = new Date(0)
  const tool = fixtureTool({ backfillObservableInput() {} })

  expect(observableInput(tool, { date }).date).toBe(date)
})

test('a tool that fails to derive its fields shows what was sent', () => {
  const tool = fixtureTool({
    backfillObservableInput(input) {
      input.half = true
      throw new Error('no')
    },
  })

  expect(observableInput(tool, { text: 'x' })).toEqual({ text: 'x' })
})
