// Types of the messages, made from Python's by `python -m scripts.contract`; a test compares.

export interface CanvasRow {
  tokens: Array<number>;
  kinds: string;
  ids?: Array<number>;
}

export interface FrameRow {
  step: number;
  block: number;
  turn: number;
  quota: number;
  cost: number;
  open: number;
  done: boolean;
  w: Array<number>;
  t: Array<number>;
  c: Array<number>;
  why: Array<[string, Array<number>, Array<number>]>;
  was?: Array<number>;
  x?: Array<number>;
  noise?: string;
  stale?: string;
  g?: string;
  s?: string;
  e?: string;
  m?: string;
  ti?: string;
  tp?: string;
}

export interface Head {
  model?: Record<string, any>;
  settings?: Record<string, any>;
  seed?: number;
  prompt?: string;
  words?: number;
  width?: number;
  causal?: boolean;
  noise?: boolean;
  ends?: Array<number>;
  session?: string;
  own_from?: number;
  made?: Record<string, any>;
}

export interface BranchRow {
  name: string;
  end: number;
  left: string;
  since: number;
}

export interface Envelope {
  session?: string;
  n?: number;
  side?: number;
  pieces?: Record<string, string>;
  id?: any;
  ref?: number;
  follower?: string;
  right?: string;
  keys?: Record<string, string>;
}

export interface Side {
  model?: string;
  preset?: string | null;
  settings?: Record<string, any> | null;
  length?: number | null;
  edits?: Array<[number, Record<string, any>]>;
}

export interface OpenedEvent extends Envelope {
  did: "opened";
  session: string;
  head: Record<string, any>;
  canvas: CanvasRow;
}

export interface SteppedEvent extends Envelope, FrameRow {
  did: "stepped";
  at: number;
  ms: [number, number, number];
  shared?: boolean;
}

export interface EditedEvent extends Envelope {
  did: "edited";
  at: number;
  edit: Record<string, any>;
  canvas: CanvasRow;
  settings: Record<string, any>;
  ref?: number | null;
}

export interface SnapshotEvent extends Envelope {
  did: "snapshot";
  at: number;
  canvas: CanvasRow;
  playing: boolean;
  length: number;
}

export interface MovedEvent extends Envelope {
  did: "moved";
  at: number;
  playing: boolean;
  length: number;
}

export interface PeekedEvent extends Envelope {
  did: "peeked";
  cell: number;
  at: number;
  about: Record<string, any>;
  head: string;
}

export interface BranchedEvent extends Envelope {
  did: "branched";
  head: string;
  left: string;
  at: number;
  heads: Record<string, number>;
}

export interface SettledEvent extends Envelope {
  did: "settled";
  text: string;
  cells: number;
}

export interface RefusalEvent extends Envelope {
  did: "refused";
  why: string;
  do: string;
  ref?: number | null;
  field?: string;
  code?: string;
}

export interface WaitingEvent extends Envelope {
  did: "waiting";
  place: number;
  seconds: number;
}

export interface DoneEvent extends Envelope {
  did: "done";
  at: number;
  text: string;
  measures: Record<string, any>;
  failed: string;
}

export interface LoadingAnswer extends Envelope {
  did: "loading";
  model: string;
  stage?: string;
  done?: number;
  total?: number;
  seconds_left?: number;
}

export interface HistoryAnswer extends Envelope {
  did: "history";
  events: Array<Record<string, any>>;
}

export interface AllowedAnswer extends Envelope {
  did: "allowed";
}

export interface FollowersAnswer extends Envelope {
  did: "followers";
  rights: Record<string, string>;
}

export interface PlannedAnswer extends Envelope {
  did: "planned";
  plan: Record<string, any>;
  settings: Record<string, any>;
}

export interface OodAnswerAnswer extends Envelope {
  did: "familiar";
  prompt: string;
  known: boolean;
  strange?: number;
  limit?: number;
  weak?: string;
  offers: Array<OfferRow>;
}

export interface NonsenseAnswerAnswer extends Envelope {
  did: "nonsense";
  found: boolean;
  offers: Array<OfferRow>;
}

export interface JudgedAnswer extends Envelope {
  did: "judged";
  facts: number;
  hold: number;
  strict: boolean;
  faults: number;
  reasons: Array<string>;
}

export interface ComparisonAnswer extends Envelope {
  did: "compare";
  on: string;
  branches: Array<BranchRow>;
  one?: string;
  two?: string;
  since?: number;
  edits?: Array<any>;
  changed?: Array<Array<number>>;
  only_one?: Array<number>;
  only_two?: Array<number>;
}

export interface BeatAnswer extends Envelope {
  did: "beat";
}

export interface PinRequest extends Numbers {
  do: "pin";
  cells: Array<number>;
  tokens: Array<number>;
  insert?: number;
}

export interface ReleaseRequest extends Numbers {
  do: "release";
  cells: Array<number>;
}

export interface EraseRequest extends Numbers {
  do: "erase";
  cells: Array<number>;
  differently?: boolean;
  avoid?: Array<number>;
}

export interface BanRequest extends Numbers {
  do: "ban";
  token: number;
  lift?: boolean;
}

export interface BoostRequest extends Numbers {
  do: "boost";
  token: number;
  amount: number;
}

export interface StretchRequest extends Numbers {
  do: "stretch";
  at: number;
  by: number;
  own?: boolean;
  differently?: boolean;
}

export interface TuneRequest extends Numbers {
  do: "tune";
  changes?: Record<string, any>;
  preset?: string;
}

export interface PlayRequest extends Numbers {
  do: "play";
  slow?: number;
  pace?: number;
}

export interface PauseRequest extends Numbers {
  do: "pause";
}

export interface StepRequest extends Numbers {
  do: "step";
  passes?: number;
}

export interface SeekRequest extends Numbers {
  do: "seek";
  to: number;
}

export interface UndoRequest extends Numbers {
  do: "undo";
  exact?: boolean;
}

export interface RedoRequest extends Numbers {
  do: "redo";
}

export interface RevertRequest extends Numbers {
  do: "revert";
  at: number;
}

export interface ForkRequest extends Numbers {
  do: "fork";
  at: number;
  name?: string;
}

export interface SwitchRequest extends Numbers {
  do: "switch";
  head: string;
}

export interface RenameRequest extends Numbers {
  do: "rename";
  head: string;
  name: string;
}

export interface DropRequest extends Numbers {
  do: "drop";
  head: string;
}

export interface PeekRequest extends Numbers {
  do: "peek";
  cell: number;
  at?: number;
  head?: string;
}

export interface OpenRequest extends Numbers {
  do: "open";
  sides?: Array<Side>;
  prompt?: string;
  own_from?: number | null;
  length?: number;
  seed?: number;
  play?: boolean;
  slow?: number;
  pace?: number;
  entropy?: boolean;
  if_familiar?: boolean;
  fit?: boolean;
  prompt_optional?: boolean;
}

export interface ResumeRequest extends Numbers {
  do: "resume";
  session: string;
  key?: string;
  after?: number;
  entropy?: boolean;
}

export interface CloseRequest extends Numbers {
  do: "close";
  session: string;
}

export interface FollowersRequest extends Numbers {
  do: "followers";
  session: string;
}

export interface GiveRequest extends Numbers {
  do: "give";
  session: string;
  to: string;
  right: string;
}

export interface PlanRequest extends Numbers {
  do: "plan";
  prompt?: string;
  model?: string;
  length?: number;
  preset?: string;
  changes?: Record<string, any>;
  seed?: number;
  suffix?: string | null;
  tokens?: Array<number> | null;
  own_from?: number | null;
}

export interface HistoryRequest extends Numbers {
  do: "history";
  session: string;
}

export interface CompareRequest extends Numbers {
  do: "compare";
  session: string;
  one?: string | null;
  two?: string | null;
}

export interface OodCheckRequest extends Numbers {
  do: "familiar";
  models: Array<string>;
  prompt?: string;
}

export interface NonsenseRequest extends Numbers {
  do: "nonsense";
  session: string;
}

export interface JudgeRequest extends Numbers {
  do: "judge";
  prompt?: string;
  text?: string;
}

export interface PresentRequest extends Numbers {
  do: "class";
  room?: string | null;
  key?: string;
}

export interface ShowRequest extends Numbers {
  do: "show";
  sessions: Array<string>;
  recordings?: Array<string>;
}

export interface ViewRequest extends Numbers {
  do: "view";
  axis: "clock" | "pass";
  place: number;
  playing: boolean;
  following: boolean;
  speed?: number;
}

export interface FreezeRequest extends Numbers {
  do: "freeze";
  on: boolean;
}

export interface HandRequest extends Numbers {
  do: "hand";
  to: string;
  right: string;
}

export interface QuestionRequest extends Numbers {
  do: "question";
  kind: "cell" | "word" | "schedule";
  session?: string;
  cell?: number;
  at?: number;
  world?: string;
  passes?: number;
}

export interface RevealRequest extends Numbers {
  do: "reveal";
}

export interface WithdrawRequest extends Numbers {
  do: "withdraw";
}

export interface DismissRequest extends Numbers {
  do: "dismiss";
}

export interface EnterRequest extends Numbers {
  do: "enter";
  room: string;
  name?: string;
  seat?: string;
}

export interface AnswerRequest extends Numbers {
  do: "answer";
  value: string;
}

export interface LeaveRequest extends Numbers {
  do: "leave";
}

export interface ClashRequest extends Numbers {
  do: "clash";
  session: string;
  at?: number;
  cell?: number | null;
  beside?: number;
}

export interface PaidRequest extends Numbers {
  do: "paid";
  session: string;
}

export interface WhyRequest extends Numbers {
  do: "why";
  session: string;
  cell: number;
  at?: number;
}

export interface LayersRequest extends Numbers {
  do: "layers";
  session: string;
  cell: number;
  at?: number;
}

export interface CandidatesRequest extends Numbers {
  do: "candidates";
  session: string;
  cell: number;
  at?: number;
}

export interface AttentionRequest extends Numbers {
  do: "attention";
  session: string;
  cell: number;
  at?: number;
  layer?: number;
  head?: number;
}

export interface DriftRequest extends Numbers {
  do: "drift";
  session: string;
}

export interface ValidityRequest extends Numbers {
  do: "validity";
  session: string;
  at?: number;
}

export interface GoalsRequest extends Numbers {
  do: "goals";
  session: string;
  goals?: Array<string>;
  runs?: Record<string, Record<string, any>>;
}

export interface ScriptRequest extends Numbers {
  do: "script";
  session: string;
}

export interface PreviewRequest extends Numbers {
  do: "preview";
  session?: string;
  at?: number;
  keep?: boolean;
  edits?: Array<Record<string, any>>;
  open?: Record<string, any>;
  weights?: string;
}

export interface PinTextRequest extends Numbers {
  do: "pin";
  at: number;
  text: string;
  over?: number;
  at_moment?: number | null;
}

export interface BanTextRequest extends Numbers {
  do: "ban";
  text: string;
  lift?: boolean;
}

export interface BoostTextRequest extends Numbers {
  do: "boost";
  text: string;
  amount?: number;
}

export interface Numbers {
  id?: any;
  ref?: number;
  session?: string;
  at_moment?: number;
}

// prettier-ignore
export type Event = OpenedEvent | SteppedEvent | EditedEvent | SnapshotEvent | MovedEvent | PeekedEvent | BranchedEvent | SettledEvent | RefusalEvent | WaitingEvent | DoneEvent | LoadingAnswer | HistoryAnswer | AllowedAnswer | FollowersAnswer | PlannedAnswer | OodAnswerAnswer | NonsenseAnswerAnswer | JudgedAnswer | ComparisonAnswer | BeatAnswer;

// prettier-ignore
export type Request = PinRequest | ReleaseRequest | EraseRequest | BanRequest | BoostRequest | StretchRequest | TuneRequest | PlayRequest | PauseRequest | StepRequest | SeekRequest | UndoRequest | RedoRequest | RevertRequest | ForkRequest | SwitchRequest | RenameRequest | DropRequest | PeekRequest | OpenRequest | ResumeRequest | CloseRequest | FollowersRequest | GiveRequest | PlanRequest | HistoryRequest | CompareRequest | OodCheckRequest | NonsenseRequest | JudgeRequest | PresentRequest | ShowRequest | ViewRequest | FreezeRequest | HandRequest | QuestionRequest | RevealRequest | WithdrawRequest | DismissRequest | EnterRequest | AnswerRequest | LeaveRequest | ClashRequest | PaidRequest | WhyRequest | LayersRequest | CandidatesRequest | AttentionRequest | DriftRequest | ValidityRequest | GoalsRequest | ScriptRequest | PreviewRequest | PinTextRequest | BanTextRequest | BoostTextRequest;
