"""How people greet, ask and thank, and what is answered: as choices that a grammar expands."""

GREETINGS = """
[Hello|Hi|Hey|Good morning|Good evening|Good day|Good afternoon|Hi there|Hello there|Hey there|Howdy|Greetings]
[Hello|Hi|Hey|Good morning][, how are you|, how is it going|, how do you do|, what is up|, nice to meet you|, friend|, you|, are you there|, anybody there]
[How are you|How is it going|How are you today|How do you do|What is new|Nice to meet you|Are you there|Is anybody here]
""".strip().split("\n")
GREETED = """
Hello! [Shall I tell you a story|Would you like a story|What shall I tell you]?
Hello! I can tell you a [little|small|short] story. [Who should be in it|What should it be about]?
Good day! [I know small stories and puzzles|Ask me for a story or a sum].
Hello, [I am well|I am fine]! [Shall I tell you a story|Would you like a story]?
""".strip().split("\n")
ABLE = (
    """
What can you do?|What do you know?|What are you good at?|Who are you?|What are you?|What is this?|How can you help me?|Help|What can I ask you?|What do you do?|What kinds of things can you write?|Tell me what you can do|What should I ask you?|Can you help me?|How does this work?|What are you for?|What else can you do?|What do you like to write?
""".strip()
    .replace("\n", "")
    .split("|")
)
ABILITIES = """
I can tell small stories[, do small sums and make records|, do sums and solve puzzles| and do small sums].
I know [small|little] stories, recipes, lists and puzzles. [Ask me for a story|Try me].
I write [small|little] stories. [Tell me who should be in one|Say who it should be about].
""".strip().split("\n")
REFUSALS = """
I only know small stories, recipes, lists and puzzles.
[I do not know that|That I do not know|I cannot answer that]. I only know small stories, recipes, lists and puzzles.
[I am sorry|Sorry], I only know small stories[, recipes and puzzles|, lists and puzzles|].
[That is too big for me|That is beyond me|I never learned that]. [Shall I tell you a story|Would you like a story instead]?
I cannot do that. I can [tell you a story|do a small sum|tell you a small story] instead.
""".strip().split("\n")
THANKS = """
[Thanks|Thank you|Thank you very much|Thanks a lot|That was nice|That was lovely|Great|Good|Well done|I liked that|Nice story|Wonderful|Cool]
[Bye|Goodbye|See you|See you soon|Good night|That is all|I have to go now|Until tomorrow]
""".strip().split("\n")
THANKED = """
[You are welcome|Gladly|I am glad]! [Would you like another story|Come again soon]?
[Goodbye|See you soon]! [Come again soon|It was nice to talk to you].
""".strip().split("\n")
REQUESTS = """
[Tell me|Please tell me|Can you tell me|Could you tell me|Will you tell me|Can you please tell me] a [|short |little |small |nice |new |good |funny ]story <of>
[Write|Write me|Please write|Make up|Give me|Invent|Can you write|Could you write|Can you make up] a [|short |little |small |nice |new |good ]story <of>
[I want|I would like|I would love|I want to hear|I would like to hear|I need|How about|Let me hear|May I have|Do you have|Do you know] a [|short |little |nice |new ]story <of>
[A story|Story|One story|A short story|A little story|Another story|A bedtime story][| please|, please] <of>
[Tell me|Tell us|Tell|Please tell me|Tell me something|Tell me more] <about>
""".strip().split("\n")
# what a wish says a story should be about, and the families of plots that tell it
ABOUT = """
about {a}
about {a}
with {a}
about {a} and {b}
about {a} and {b}
with {a} and {b}
about {a} and a {thing}
about a {thing}
about a {colour} {thing}
about {a} and a {colour} {thing}
about a {animal}
about {a} and a {animal}
about a {animal} at the {place}
about {a} at the {place}
at the {place}
about {a} and {elder}
about {a} who lost a {thing}|lost
about {a} who lost a {colour} {thing}|lost
about a lost {thing}|lost
about {a} and a {thing} in a tree|stuck
about {a} who broke a {thing}|broken blamed
about a broken {thing}|broken blamed repaired
about {a} who mended a {thing}|repaired
about {a} who borrowed a {thing}|borrowed broken blamed
about a present for {elder}|gift
about {a} and the birthday of {elder}|gift
about {a} and {b} who swapped a {thing}|trade
about {a} and {b} who quarrelled|quarrel
about {a} who helped {b}|help
about {a} who was ill|ill
about {a} who baked {bakes}|bake
about {a} and some {bakes}|bake picnic visit
about {a} who picked {fruits}|gather harvest ill
about {a} who sold {fruits}|sell
about {a} who collected {things}|collect
about {a} who had {many} {things}|collect game
about {a} who saved coins|coins
about a storm|storm
about {a} in a storm|storm
about {a} and {b} who ran a race|race
about a race|race
about {a} who had a secret|secret
about {a} who heard a noise at night|night
about {a} who saved a {animal}|rescue
about a snowman|snow
about {a} who built a snowman|snow
about {a} who planted a {plant}|grow
about {a} and {b} who built a hut|build
about {a} who learned to {skill}|learn
about {a} who could not {skill}|learn
about a treasure|treasure
about {a} and an old map|treasure
about {a} who wished for a {thing}|star
about hide and seek|seek
about {a} who visited {elder}|visit
about a strange dream|dream
about {a} who was afraid of the dark|moon
about {a} who was lost|astray
about {a} and the {job}|work coins grow
about {a} who found a {animal}|stray secret
""".strip().split("\n")
# a question about a story, what the story must say for it to have an answer, and the answer
QUESTIONS = """
What colour was the {thing}?|{colour} {thing}|It was {colour}.
Which colour did the {thing} have?|{colour} {thing}|It was {colour}.
What colour is the {thing}?|{colour} {thing}|It was {colour}.
Who is the story about?|{a}&{b}|It is about {a} and {b}.
Who is in the story?|{a}&{b}|It is about {a} and {b}.
Who is in it?|{a}&{b}|It is about {a} and {b}.
What are their names?|{a}&{b}|They are called {a} and {b}.
Who was with {a}?|{a}&{b}|{b} was with {him}.
Who is {b}?|{a}&{b}|{b} is a friend of {a}.
Where were they?|the {place}|They were at the {place}.
Where does it happen?|the {place}|It happens at the {place}.
Where was it?|the {place}|It was at the {place}.
Which animal was it?|a {animal}|It was a {animal}.
What animal is in the story?|a {animal}|It is a {animal}.
What kind of animal did they meet?|a {animal}|It was a {animal}.
How many {fruits} were left?|{rest} {fruits} left|There were {rest} {fruits} left.
How many {bakes} were left?|{rest} {bakes} left|There were {rest} {bakes} left.
How many {things} were left?|{rest} {things} left|There were {rest} {things} left.
How many {fruits} were left?|{last} {fruits} left|There were {last} {fruits} left.
How many {bakes} were left?|{last} {bakes} left|There were {last} {bakes} left.
How many {fruits} were there at first?|{many} {fruits}&{some}|There were {many} {fruits}.
How many {bakes} did {a} bake?|baked {many} {bakes}|{a} baked {many} {bakes}.
How many {things} did {a} have at first?|{a} had {many} {things}|{a} had {many} {things}.
How many {things} did {a} have in the end?|{a} had {more} {things}|{a} had {more} {things}.
How many coins were left?|{rest} coins left|There were {rest} coins left.
On which day was it?|{day}|It was on {day}.
What day was it?|{day}|It was on {day}.
What did {a} have?|{a} had a {colour} {thing}|{a} had a {colour} {thing}.
What did {a} learn?|{a} could {skill}|{a} learned to {skill}.
What did {a} plant?|{a}&{plant}|{a} planted a {plant}.
Was there a {animal} in it?|a {animal}|Yes, there was a {animal}.
Was there a {thing} in the story?|{colour} {thing}|Yes, there was a {colour} {thing}.
Was there a dragon in the story?|a {animal}|No, but there was a {animal}.
Was it an elephant?|found a {animal}|No, it was a {animal}.
What animal did {a} find?|found a {animal}|{a} found a {animal}.
Where did {a} find the {animal}?|found a {animal} at the {place}|{a} found it at the {place}.
What is the {child} called?|{a}|The {child} is called {a}.
What is the name of the {child}?|{a}|The {child} is called {a}.
Where did {a} go?|the {place}|{a} went to the {place}.
Where was {a}?|the {place}|{a} was at the {place}.
Where did they find the {thing}?|found the {thing} {spot}|They found it {spot}.
Where was the {thing} in the end?|found the {thing} {spot}|It was {spot}.
Who found the {thing}?|{b} found the {thing}|{b} found the {thing}.
What did {a} lose?|the {thing} was gone|{a} lost the {thing}.
Who helped {a}?|help you look," said {b}|{b} helped {a}.
Where did {a} pick the {fruits}?|picked {many} {fruits} at the {place}|{a} picked them at the {place}.
How many {fruits} did {a} pick?|picked {many} {fruits}|{a} picked {many} {fruits}.
How many {fruits} did {a} give away?|gave {some} {fruits}|{a} gave away {some} {fruits}.
How many {bakes} did {a} give away?|gave {some} {bakes}|{a} gave away {some} {bakes}.
How many {fruits} did {b} get?|gave {some} {fruits} to {b}|{b} got {some} {fruits}.
Who got some {fruits}?|gave {some} {fruits} to {b}|{b} got {some} {fruits}.
How many are left?|{rest} {fruits} left|There were {rest} {fruits} left.
How many are left?|{rest} {bakes} left|There were {rest} {bakes} left.
How many are left?|{last} {fruits} left|There were {last} {fruits} left.
Who taught {a}?|not be afraid," said {elder}|{elder} taught {a}.
Who taught {a} to {skill}?|teach you to {skill}," said {b}|{b} taught {a}.
When could {a} {skill}?|By {day} {a} could {skill}|It was on {day}.
Who keeps the secret?|kept the secret&{b}|{a} and {b} keep it together.
""".strip().split("\n")
SUMS = """
What is {left} + {right}?|What is {left} plus {right}?|{left} + {right}|{left} + {right} = ?|How much is {left} + {right}?|How much is {left} plus {right}?|Can you add {left} and {right}?|Add {left} and {right}|{left} plus {right}?|What do {left} and {right} make?|Please add {left} and {right}
What is {left} - {right}?|What is {left} minus {right}?|{left} - {right}|{left} - {right} = ?|How much is {left} - {right}?|How much is {left} minus {right}?|Take {right} from {left}|What is {left} less {right}?|{left} minus {right}?
""".strip().split("\n")
RECORDS = """
Make a record of this:|Turn this into a record:|Give me JSON for this:|As JSON:|Please make JSON of this:|Write this as a record:|Record:|Can you make a record from this?|Put this into JSON:|JSON, please:
""".strip().split("|")
SORTS = """
Sort {row}|Sort these numbers: {row}|Please sort {row}|Can you sort {row}?|Put {row} in order|Which order is right: {row}?|Put these in order: {row}
""".strip().split("|")
