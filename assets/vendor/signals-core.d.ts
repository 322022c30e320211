/** What the page uses of @preact/signals-core: a value that knows who reads it, and a function that runs again. */
export interface Signal<T> {
  value: T;
  peek(): T;
}
export function signal<T>(value: T): Signal<T>;
export function effect(run: () => void): () => void;
export function untracked<T>(run: () => T): T;
