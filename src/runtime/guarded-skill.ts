import { join } from 'node:path'
import type { Skill } from '../contract/tool/context.js'

/** A skill that is not read where rules keep its file from who asks: to load it is to read it. */
export function guardedSkill(given: Skill, isHidden: (path: string) => Promise<boolean>): Skill {
  const { skill } = given
  const { file = join(skill.folder, 'SKILL.md') } = skill
  const read = async () => {
    if (await isHidden(file)) throw new Error(`rules restrict reading ${file}.`)
    return skill.read()
  }
  return { ...given, skill: { ...skill, read } }
}
