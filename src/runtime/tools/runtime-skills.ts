import { extractLoadedSkills } from '../../contract/attachments.js'
import type { Message } from '../../contract/messages.js'
import type { Skill } from '../../contract/tool/context.js'

const NONE: readonly Skill[] = Object.freeze([])

/** The skills of a runtime, and the folders of those that were loaded: from then on what stands there may be read. */
export class RuntimeSkills {
  readonly #given: () => readonly Skill[]
  #known: { readonly given: readonly Skill[]; readonly commands: readonly Skill[] } | undefined
  #folders: readonly string[] = []

  constructor(given: () => readonly Skill[] = () => NONE) {
    this.#given = given
  }

  /** As they are now, each of which opens its folder when it is read. While nothing changes, the same array. */
  get commands(): readonly Skill[] {
    const given = this.#given()
    if (this.#known?.given !== given) this.#known = { given, commands: given.map((each) => this.#opening(each)) }
    return this.#known.commands
  }

  /** Another array when there is one more. */
  get openFolders(): readonly string[] {
    return this.#folders
  }

  /** Takes over what a conversation loaded, as far as it is still the same skill. */
  restore(messages: readonly Message[]): void {
    for (const { name, folder } of extractLoadedSkills(messages)) {
      if (this.#given().some((each) => each.name === name && each.skill.folder === folder)) this.#open(folder)
    }
  }

  #opening(given: Skill): Skill {
    const { folder } = given.skill
    const read = async () => {
      const instructions = await given.skill.read()
      this.#open(folder)
      return instructions
    }
    return { ...given, skill: { ...given.skill, read } }
  }

  #open(folder: string): void {
    if (!this.#folders.includes(folder)) this.#folders = [...this.#folders, folder]
  }
}
