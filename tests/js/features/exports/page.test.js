import assert from "node:assert/strict";
import { test } from "node:test";

import { filled } from "../../../../dllm/features/exports/page.js";

test("what stands in a run cannot end its script, nor be taken for a pattern of the replacement", () => {
  const page = '<script type="application/json" id="runs">[]</script><p>';
  const text = 'a </script><script>alert(1)</script> $& $1 "b"';
  const made = filled(page, [text]);
  assert.equal(made.split("</script>").length, 2);
  const json = made.slice(made.indexOf(">") + 1, made.indexOf("</script>"));
  assert.deepEqual(JSON.parse(json), [text]);
});
