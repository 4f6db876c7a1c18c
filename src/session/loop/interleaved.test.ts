import { describe, expect, test } from 'vitest'
import { Interleaved } from './interleaved.js'

async function* of<T>(...values: readonly T[]): AsyncGenerator<T> {
  yield* values
}

async function all<T>(stream: AsyncIterable<T>): Promise<readonly T[]> {
  const values: T[] = []
  for await (const value of stream) values.push(value)
  return values
}

describe('streams put together', () => {
  test('give all their values, each in its own order', async () => {
    const both = new Interleaved<string>()
    both.add(of('a1', 'a2', 'a3'))
    both.add(of('b1'))

    const values = await all(both)

    expect(values.toSorted()).toEqual(['a1', 'a2', 'a3', 'b1'])
    expect(values.filter((value) => value.startsWith('a'))).toEqual(['a1', 'a2', 'a3'])
  })

  test('may become more on the way', async () => {
    const both = new Interleaved<string>()
    both.add(
      (async function* () {
        yield 'first'
        both.add(of('second'))
      })(),
    )
    expect(await all(both)).toEqual(['first', 'second'])
  })

  test('fail with the first that does, after what had come', async () => {
    const both = new Interleaved<string>()
    both.add(
      (async function* () {
        yield 'one'
        throw new Error('broken')
      })(),
    )
    const values: string[] = []
    const read = async () => {
      for await (const value of both) values.push(value)
    }
    await expect(read()).rejects.toThrow('broken')
    expect(values).toEqual(['one'])
  })

  test('end though one that was left alone never does', async () => {
    const both = new Interleaved<string>()
    const leave = both.add({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) })
    both.add(of('b'))
    const reading = all(both)

    leave()

    expect(await reading).toEqual(['b'])
  })

  test('are read no further ahead than by one value', async () => {
    let given = 0
    const both = new Interleaved<number>()
    both.add(
      (async function* () {
        while (given < 100) yield given++
      })(),
    )
    const reader = both[Symbol.asyncIterator]()

    await reader.next()
    await new Promise((resolve) => setImmediate(resolve))

    expect(given).toBeLessThanOrEqual(3)
  })

  test('are told when the reader leaves', async () => {
    let wasTold = false
    const both = new Interleaved<number>()
    both.add(
      (async function* () {
        try {
          for (;;) yield 1
        } finally {
          wasTold = true
        }
      })(),
    )
    for await (const _ of both) break
    await new Promise((resolve) => setImmediate(resolve))

    expect(wasTold).toBe(true)
  })
})
