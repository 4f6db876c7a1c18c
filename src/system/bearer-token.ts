import { createHash, timingSafeEqual } from 'node:crypto'

/** Whether an `Authorization` header contains the token. Takes the same time for every wrong token. */
export function hasBearerToken(authorization: string | undefined, token: string): boolean {
  // Hashes have equal length, which the constant-time comparison requires.
  const computeDigest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(computeDigest((authorization ?? '').replace(/^bearer +/i, '')), computeDigest(token))
}
