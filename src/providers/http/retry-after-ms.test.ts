import { expect, test } from 'vitest'
import { readRetryAfterMs } from './retry-after-ms.js'

test.each([
  [{ 'retry-after': '2' }, 2000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after': '2', 'retry-after-ms': '30' }, 30],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:10 GMT' }, 4000],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:01 GMT' }, 0],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '-5' }, undefined],
  [{}, undefined],
])('the response headers %j mean a delay of %j ms', (headers, ms) => {
  expect(readRetryAfterMs(new Headers(headers as Record<string, string>), 6000)).toBe(ms)
})
