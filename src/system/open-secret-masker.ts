import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { SecretMasker } from '../shared/secret-masker.js'
import { isSecretVariable } from '../shared/secret-variables.js'

/**
 * Creates the masker for the variables that count as secrets. Undefined if there are none. A value that is the path of an
 * existing file is not a secret, and masking it would make the paths in results unusable.
 */
export function openSecretMasker(
  variables: Readonly<Record<string, string | undefined>>,
  hiddenNames: readonly string[] = [],
): SecretMasker | undefined {
  const secrets = Object.entries(variables).flatMap(([name, value = '']) => {
    const isSecret = hiddenNames.includes(name) || isSecretVariable(name, value)
    return isSecret && !(isAbsolute(value) && existsSync(value)) ? [{ name, value }] : []
  })
  return SecretMasker.create(secrets)
}
