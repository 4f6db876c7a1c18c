import { expect, test } from 'vitest'
import { toObservableInput } from './call.js'
import { createFixtureTool } from './fixture-host.js'

test('without derived fields, the observable input is the input itself', () => {
  const input = { text: 'x' }

  expect(toObservableInput(createFixtureTool(), input)).toBe(input)
})

test('derived fields are added to a deep copy of the input', () => {
  const tool = createFixtureTool({
    backfillObservableInput(input) {
      input.path = `/project/${input.text}`
      ;(input.list as { n: number }[])[0] = { n: 2 }
      ;(input.deep as { n: number }).n = 2
    },
  })
  const input = { text: 'x', list: [{ n: 1 }], deep: { n: 1 } }

  expect(toObservableInput(tool, input)).toEqual({ text: 'x', path: '/project/x', list: [{ n: 2 }], deep: { n: 2 } })
  expect(input).toEqual({ text: 'x', list: [{ n: 1 }], deep: { n: 1 } })
})

test('values that are not plain data are not copied', () => {
  const date = new Date(0)
  const tool = createFixtureTool({ backfillObservableInput() {} })

  expect(toObservableInput(tool, { date }).date).toBe(date)
})

test('if deriving fields fails, the observable input is the input as sent', () => {
  const tool = createFixtureTool({
    backfillObservableInput(input) {
      input.half = true
      throw new Error('no')
    },
  })

  expect(toObservableInput(tool, { text: 'x' })).toEqual({ text: 'x' })
})
