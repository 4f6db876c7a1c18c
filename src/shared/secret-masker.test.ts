import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPropertyOptions } from '../testing/property-runs.js'
import { SecretMasker } from './secret-masker.js'

function createMasker(values: Readonly<Record<string, string>>): SecretMasker {
  const masker = SecretMasker.create(Object.entries(values).map(([name, value]) => ({ name, value })))
  if (masker === undefined) throw new Error('Nothing to mask.')
  return masker
}

function maskChunks(masker: SecretMasker, chunks: readonly Uint8Array[]): string {
  const stream = masker.openStream()
  const maskedChunks = chunks.map((chunk) => stream.push(chunk))
  return Buffer.concat([...maskedChunks, stream.end()]).toString()
}

test('a value is replaced by the name of its variable wherever it occurs', () => {
  const masker = createMasker({ GH_TOKEN: 'ghp_12345678', 'A.B': 'a+b(c)[d]' })

  expect(masker.maskText('x=ghp_12345678;ghp_12345678 a+b(c)[d]')).toBe(
    'x=[masked GH_TOKEN];[masked GH_TOKEN] [masked A.B]',
  )
})

test('the longer of two values that start alike is masked as a whole', () => {
  const masker = createMasker({ SHORT_KEY: 'abcdefgh', LONG_KEY: 'abcdefghij' })

  expect(masker.maskText('abcdefghij abcdefghi')).toBe('[masked LONG_KEY] [masked SHORT_KEY]i')
})

test('values of less than 8 characters are not masked', () => {
  expect(SecretMasker.create([{ name: 'KEY', value: '1234567' }])).toBeUndefined()
  expect(SecretMasker.create([{ name: 'KEY', value: ' 1234567 \n' }])).toBeUndefined()
})

test('each long line of a private key is masked, because tools show single lines', () => {
  const line = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC'
  const masker = createMasker({
    SIGNING_KEY: `-----BEGIN PRIVATE KEY-----\n${line}\nshort==\n-----END PRIVATE KEY-----\n`,
  })

  expect(masker.maskText(`     2\t${line}\n     3\tshort==\n     4\t-----END PRIVATE KEY-----`)).toBe(
    '     2\t[masked SIGNING_KEY]\n     3\tshort==\n     4\t-----END PRIVATE KEY-----',
  )
})

test('strings in plain data are masked, and kept fields are kept except in call inputs', () => {
  const masker = createMasker({ PASSWORD: 'tool_result' })
  const cycle: Record<string, unknown> = { text: 'tool_result' }
  cycle.self = cycle
  const date = new Date()

  expect(
    masker.maskData(
      { type: 'tool_result', list: ['tool_result', 1, null], input: { type: 'tool_result' } },
      new Set(['type']),
    ),
  ).toEqual({
    type: 'tool_result',
    list: ['[masked PASSWORD]', 1, null],
    input: { type: '[masked PASSWORD]' },
  })
  expect(masker.maskData({ cycle, date })).toEqual({ cycle: { text: '[masked PASSWORD]', self: undefined }, date })
})

test('only bytes that may be the start of a secret are held back', () => {
  const stream = createMasker({ KEY: 'abcdefgh' }).openStream()
  const push = (text: string) => Buffer.from(stream.push(Buffer.from(text))).toString()

  expect([push('waiting'), push('… abcd'), push('efg'), push('h.'), push('abc')]).toEqual([
    'waiting',
    '… ',
    '',
    '[masked KEY].',
    '',
  ])
  expect(Buffer.from(stream.end()).toString()).toBe('abc')
})

test('output in chunks is masked like the whole output, wherever it is cut', () => {
  // Few letters, so that values overlap, repeat and contain each other.
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'ü'), minLength: 8, maxLength: 10 })
  const values = fc.uniqueArray(word, { minLength: 1, maxLength: 3 })
  const piece = fc.oneof(fc.nat(2), fc.string({ unit: fc.constantFrom('a', 'b', 'ü'), maxLength: 4 }))
  fc.assert(
    fc.property(values, fc.array(piece, { maxLength: 8 }), fc.array(fc.nat(12)), (values, pieces, lengths) => {
      const masker = createMasker(Object.fromEntries(values.map((value, index) => [`KEY_${index}`, value])))
      const text = pieces.map((piece) => (typeof piece === 'string' ? piece : (values[piece] ?? ''))).join('')
      const bytes = Buffer.from(text)
      const chunks: Uint8Array[] = []
      let at = 0
      for (const length of lengths) {
        chunks.push(bytes.subarray(at, at + length))
        at += length
      }

      expect(maskChunks(masker, [...chunks, bytes.subarray(at)])).toBe(masker.maskText(text))
    }),
    createPropertyOptions(),
  )
})

test('an item that must not be changed is left out of its list if it contains a secret', () => {
  const masker = SecretMasker.create([{ name: 'TOKEN', value: 'the-secret-value' }])
  const isSigned = (item: object) => 'signature' in item
  const [clean, secret] = ['fine', 'the-secret-value'].map((thinking) => ({ thinking, signature: 's' }))

  expect(masker?.maskData({ content: [clean, secret, { text: 'the-secret-value' }] }, new Set(), isSigned)).toEqual({
    content: [clean, { text: '[masked TOKEN]' }],
  })
})
