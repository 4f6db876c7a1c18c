import { extractLoadedSkills } from '../../contract/attachments.js'
import type { Message } from '../../contract/messages.js'
import type { Skill } from '../../contract/tool/context.js'

const NO_SKILLS: readonly Skill[] = Object.freeze([])

/** The skills of a runtime, and the folders of the loaded ones, which may be read without a question. */
export class RuntimeSkills {
  readonly #given: () => readonly Skill[]
  #known: { readonly given: readonly Skill[]; readonly commands: readonly Skill[] } | undefined
  #folders: readonly string[] = []

  constructor(given: () => readonly Skill[] = () => NO_SKILLS) {
    this.#given = given
  }

  /** The current skills. Reading one opens its folder. Returns the same array while nothing changes. */
  get commands(): readonly Skill[] {
    const given = this.#given()
    if (this.#known?.given !== given) this.#known = { given, commands: given.map((each) => this.#withOpenFolder(each)) }
    return this.#known.commands
  }

  /** A new array whenever a folder is added. */
  get openFolders(): readonly string[] {
    return this.#folders
  }

  /** Opens the folders of skills that a resumed conversation had loaded, if the skill still exists there. */
  restore(messages: readonly Message[]): void {
    for (const { name, folder } of extractLoadedSkills(messages)) {
      if (this.#given().some((each) => each.name === name && each.skill.folder === folder)) this.#open(folder)
    }
  }

  #withOpenFolder(given: Skill): Skill {
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
