/** Words that do not help to choose a tool, by language, without accents. */
const STOP_WORDS: Readonly<Record<string, ReadonlySet<string>>> = {
  en: createWordSet(
    'a an the of to in on at by for from with and or is are was were be been being it its this that these those i me my',
    'we our us you your he she they them his her their as if then than so do does did done can could would should will',
    'shall may might must have has had having am not no nor there here what which who whom whose when where how why about',
    'into also please need want wants help like let just any some such via using use used provide give tell know lets',
    'im id ive hi hello hey thanks thank able would dont additionally furthermore moreover finally lastly',
  ),
  es: createWordSet(
    'el la los las un una unos unas de del al a en con por para y o u que es son se me mi su sus lo le les como cual',
    'cuales cuando donde quien no si mas pero este esta estos estas ese esa quiero necesito puedes puede podrias ayuda',
    'ayudame favor hay ser tener tengo al menos sobre entre hasta desde sin muy ya dame decir dime cuanto hacer',
  ),
  de: createWordSet(
    'der die das den dem des ein eine einen einem einer eines und oder in im ins am an auf aus bei mit nach von vom zu zum',
    'zur fur uber unter ist sind war wird werden kann kannst konnen konnte ich du er sie es wir ihr mein meine meinen dein',
    'mir mich dir dich was wie wer wo wann warum welche welcher welches nicht bitte mochte will brauche hilf gib alle als',
    'auch dass ob um so gerade mindestens hat habe haben sich',
  ),
  fr: createWordSet(
    'le la les l un une des du de d au aux a en dans sur sous avec par pour et ou est sont je j tu il elle nous vous ils',
    'mon ma mes ton ta tes son sa ses ce cet cette ces que qui quoi dont ne pas plus quel quelle quels quelles comment',
    'quand voudrais veux peux peut pouvez aide moi me se s n y besoin il faut svp plait',
  ),
  pt: createWordSet(
    'o a os as um uma uns umas de do da dos das no na nos nas em com por para e ou que eu meu minha seu sua se me mim como',
    'qual quais quando onde quem nao mais este esta isso quero preciso pode poderia ajuda favor ser ter tem ao aos pelo pela',
  ),
  it: createWordSet(
    'il lo la i gli le un uno una di del dello della dei degli delle a al allo alla ai alle da dal dalla in nel nella con su',
    'sul per e o che mi mio mia tuo suo sua come quale quali quando dove chi non piu questo questa vorrei voglio puoi aiuto',
    'aiutami sono ho ha',
  ),
  ru: createWordSet(
    'и в во не на я с со как а то все она так его но да ты к у же вы за бы по ее мне было вот от меня о из ему для при мой',
    'мои моя этот эта это эти что где когда кто какой какие какая нужно хочу могу можно пожалуйста помоги мы нас',
  ),
}

/** Stop words of Chinese, Japanese and Korean, where they are not separated from other words by spaces. */
export const UNSPACED_STOP_WORDS: ReadonlySet<string> = createWordSet(
  '我 你 您 他 她 它 我们 你们 他们 大家 我的 你的 的 了 吗 呢 吧 啊 把 被 给 向 对 和 与 或 在 是 有 里 里有 上 中 从 到 为 为了 关于 这 那 这个 那个',
  '这张 那幅 哪些 有哪些 什么 怎么 怎样 怎么办 如何 为什么 多少 请 请问 帮 帮我 帮忙 我想 我要 我需要 想要 需要 想 要 能 可以 能否 可以吗 能不能 一个 一下',
  '一些 一份 一张 一套 并 然后 之后 以及 还有 顺便 使用 用 进行 所有的 至少 现在',
  'の を に が は で と へ も から まで より や ください して したい しています してください です ます ですか ますか ある いる この その あの 何 なぜ',
  'どう どうやって 方法 ため という たい について 私 私の 欲しい お願い お願いします',
  '을 를 이 가 은 는 에 에서 으로 로 의 와 과 도 해줘 해주세요 주세요 줘 줘요 줄래 주라 알려줘 알려주세요 보여줘 보여주세요 하고 하는 싶어요 싶다 어떻게 무엇 왜 좀 대한 저 나 내 법',
)

export function isStopWord(word: string, language: string): boolean {
  return STOP_WORDS[language]?.has(word) === true
}

function createWordSet(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')))
}
