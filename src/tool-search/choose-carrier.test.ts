import { expect, test } from 'vitest'
import { type CarrierFacts, chooseCarrier } from './choose-carrier.js'

const supports = { endpoint: { supportsDeferLoading: true } }
const refuses = { endpoint: { supportsDeferLoading: false } }

test.each<[CarrierFacts, 'native' | 'portable', string]>([
  [{}, 'portable', 'not known to support'],
  [{ endpoint: {} }, 'portable', 'not known to support'],
  [refuses, 'portable', 'not known to support'],
  [supports, 'native', 'known to support'],
  [{ byHand: 'native' }, 'native', 'by hand'],
  [{ ...refuses, byHand: 'native' }, 'native', 'by hand'],
  [{ ...supports, byHand: 'portable' }, 'portable', 'by hand'],
  [{ ...supports, wasRejected: true }, 'portable', 'refused'],
  [{ byHand: 'native', wasRejected: true }, 'portable', 'refused'],
  [{ ...supports, betasDisabled: true }, 'portable', 'HAFT_DISABLE_EXPERIMENTAL_BETAS'],
  [{ byHand: 'native', betasDisabled: true }, 'portable', 'HAFT_DISABLE_EXPERIMENTAL_BETAS'],
])('%j: %s', (facts, carrier, reason) => {
  expect(chooseCarrier(facts)).toEqual({ carrier, reason: expect.stringContaining(reason) })
})
