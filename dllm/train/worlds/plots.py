"""What can happen to people in a small world, and the ways to tell it.

A sentence that names one person speaks of that person alone in its pronouns; a story has one place, one animal, one
hiding spot and one kind of food; a thing is introduced before it is "the" thing. The judge holds stories to just that.
"""

from dllm.train.worlds.scene import Beat

LOST: list[Beat] = [
    (
        "{a} had {a_colour} {thing}.",
        "{a} had {a_colour} {thing} that {he} loved more than anything.",
        "There was once {a_colour} {thing}, and it belonged to {a}.",
        "Everywhere {a} went, {his} {colour} {thing} went too.",
    ),
    (
        "One windy morning {he} took the {thing} to the {place}.",
        "One day {he} carried it all the way to the {place}.",
        "On {day} {he} played with it at the {place} until the sun was low.",
        "On {day} {a} took it along to the {place}.",
    ),
    (
        "But when {he} came home, the {thing} was gone.",
        "On the way home {he} reached for it, and it was not there.",
        "Then it was time for supper, and the {thing} was nowhere to be seen.",
        "But somewhere between one game and the next, {a} lost it.",
    ),
    (
        "{a} looked in every corner and felt like crying.",
        "{a} sat down on the steps and did not say a word.",
        "{a} turned out both pockets and found only crumbs.",
        "A lump grew in {his} throat.",
    ),
    (
        [
            (
                '"I will help you look," said {b}.',
                '"Two can look better than one," said {b}.',
                '"Where did you have it last?" asked {b}.',
            ),
            (
                "Together {a} and {b} went back to the {place}.",
                "So {a} and {b} walked back to the {place}, looking left and right.",
                "Hand in hand, {a} and {b} searched the whole {place}.",
            ),
            (
                "There it was, {spot}!",
                "And there, {spot}, something {colour} was shining.",
                "{b} found the {thing} {spot}.",
            ),
            (
                '"You are a true friend," said {a}, and hugged {b}.',
                "{a} laughed out loud and hugged {b} twice.",
                "From then on {a} and {b} took turns with the {colour} {thing}.",
            ),
        ],
        [
            (
                "Then {an_animal} came by and sniffed at {his} shoes.",
                "Just then {an_animal} peeped out and looked at {a}.",
                "A small sound made {a} turn round: it was {an_animal}.",
            ),
            (
                "The {animal} ran ahead, and {a} ran after it.",
                "It seemed to say: follow me! So {a} followed the {animal}.",
                "{a} followed the {animal}, step by step.",
            ),
            (
                "It stopped, and there, {spot}, lay the {colour} {thing}.",
                "The {animal} had been keeping the {thing} warm {spot}.",
                "And {spot}, a little dusty, lay the {thing}.",
            ),
            (
                '"Thank you, clever {animal}!" said {a}.',
                "{a} gave the {animal} a crust of bread and a gentle pat.",
                "Since that day {a} and the {animal} have been friends.",
            ),
        ],
    ),
]

GIFT: list[Beat] = [
    (
        "It was {elder}'s birthday, and {a} had no present yet.",
        "{a} wanted to give {elder} a present, but had no money at all.",
        "On {day} it would be {elder}'s birthday, and {a} could not sleep for thinking.",
    ),
    (
        "{a} thought about it all morning.",
        '"What does {elder} like best?" {a} wondered.',
        "So {a} sat by the window and thought hard.",
    ),
    (
        [
            (
                "At last {he} found some {colour} paint and an old {thing}.",
                "In the attic {he} found an old, dusty {thing} and a pot of {colour} paint.",
            ),
            (
                "{a} washed the {thing} and painted it until it shone.",
                "All afternoon {a} rubbed and painted, and nobody was allowed to look.",
            ),
            (
                "Now it was a {colour} {thing}, as good as new.",
                "By evening there stood a {colour} {thing}, bright as morning.",
            ),
        ],
        [
            (
                "Then {a} asked {b}, who could make almost anything.",
                "Then {a} ran to {b} for help.",
            ),
            (
                '"Let us make {a_thing}," said {b}. "I have {colour} paint."',
                '"Everyone needs {a_thing}," said {b}, and fetched wood and {colour} paint.',
            ),
            (
                "{a} and {b} worked until the {colour} {thing} was done.",
                "{a} held the pieces, {b} tied the knots, and soon the {colour} {thing} was ready.",
            ),
        ],
    ),
    (
        "{a} gave the {thing} to {elder} with both hands.",
        "After supper {a} gave the {colour} {thing} to {elder}.",
    ),
    (
        '"It is the best present of all," said {elder}, "because you made it."',
        "{elder} did not say anything at first, but {ehis} eyes were shining.",
        '{elder} held it up to the light. "How beautiful!" {ehe} said.',
    ),
    (
        "And {a} felt warm all over.",
        "And {a} learned that giving can feel like getting.",
        "That night {a} fell asleep with a smile.",
    ),
]

TRADE: list[Beat] = [
    ("{a} had {a_colour} {thing}, and {b} had {a_tint} {other}.",),
    (
        "Every day at the {place}, {a} looked at the {other} and sighed.",
        "One day {a} and {b} met at the {place}.",
        "They met at the {place} on {day}, as they always did.",
    ),
    (
        '"I wish I had {an_other} like yours," said {a}.',
        '"Your {other} is so fine," said {a}.',
        '"Shall we swap?" asked {a}.',
    ),
    (
        '"And I have always liked your {thing}," said {b}.',
        '"I would rather have {a_thing}," said {b}.',
        '{b} thought for a moment. "Why not?" {bhe} said.',
    ),
    ("So {a} gave the {colour} {thing} to {b}, and {b} gave the {tint} {other} to {a}.",),
    (
        [
            (
                "Now the {thing} belonged to {b}, and the {other} belonged to {a}.",
                "From that day the {thing} belonged to {b}, and the {other} belonged to {a}.",
            ),
            (
                "{a} and {b} shook hands, and both were sure they had won.",
                "Both of them walked home happy.",
                "It was a fair trade, and {a} and {b} stayed friends.",
            ),
        ],
        [
            (
                "But that night {a} missed the {colour} {thing} and could not sleep.",
                "But soon {a} felt sad, for the {thing} had been a present from someone dear.",
            ),
            (
                '{b} understood at once. "Then take it back," {bhe} said.',
                '"You can always play with it at my house," said {b}.',
            ),
            (
                '"Some things are for keeping," said {a}, and {b} nodded.',
                "And {a} and {b} were even better friends than before.",
            ),
        ],
    ),
]

STORM: list[Beat] = [
    (
        "{a} and {b} were playing with {a_colour} {thing} at the {place}.",
        "On {day} {a} and {b} took {a_colour} {thing} to the {place}.",
    ),
    (
        "Dark clouds came up, and the wind began to howl.",
        "All at once the sky turned grey and the wind grew strong.",
        "Far away there was thunder, and the first drops of rain fell.",
    ),
    (
        '"We must go home," said {a}.',
        '"Quick!" cried {b}. "A storm is coming!"',
        "{b} was afraid of thunder, so {a} took {bhim} by the hand.",
    ),
    (
        "They ran to an old shed and shut the door behind them.",
        "They crept into a hollow tree and sat close together.",
        "There was no time to run home, so they hid under a cart.",
    ),
    (
        [
            (
                "Inside sat {an_animal}, wet and shaking.",
                "Something moved in the dark. It was {an_animal}, all wet.",
            ),
            (
                "{a} dried the {animal} with {his} shirt, and {b} told it a story.",
                "They let the {animal} sit between them, and soon it was warm.",
            ),
            (
                "When the storm was over, the {animal} looked back once and ran off.",
                "Outside the sun came back, and the {animal} shook itself and was gone.",
            ),
        ],
        [
            (
                "They counted the seconds between the flash and the thunder.",
                "They sang every song they knew, louder than the rain.",
            ),
            (
                "Little by little the thunder moved away.",
                "After the fifth song the rain was only a whisper.",
            ),
            (
                "When they came out, there was a rainbow over the roofs.",
                "Outside, every leaf was shining.",
            ),
        ],
    ),
    (
        '"I was not afraid with you," said {b} to {a}.',
        '"That was almost fun," said {a}, and {b} laughed.',
        "And {a} and {b} jumped into every puddle on the way home.",
    ),
]

HELP: list[Beat] = [
    (
        "{a} was on the way to the {place} when {he} saw {b}.",
        "On {day} {a} met {b} near the {place}.",
        "{a} wanted to be the first at the {place}, but then {he} saw {b}.",
    ),
    (
        [
            (
                "{b} was pulling a cart full of {fruits}, and a wheel had come off.",
                "{b} had a cart of {fruits}, and it was stuck in the mud.",
            ),
            (
                '"It is too heavy for me," said {b}.',
                "{b} pulled and pulled, but it would not move.",
            ),
            (
                '"Push while I pull," said {a}.',
                "{a} rolled up {his} sleeves and pushed with all {his} strength.",
            ),
            (
                "One, two, three, and the cart was free!",
                "With a creak and a jump, the cart rolled on.",
            ),
            (
                "{b} gave {a} the biggest of the {fruits}.",
                '"Half of the {fruits} are yours," said {b} to {a}.',
            ),
        ],
        [
            (
                "{b} had fallen and could not walk.",
                "{b} sat on the ground and held {bhis} knee.",
            ),
            (
                '"Does it hurt?" asked {a}.',
                "{a} knelt down and looked at it.",
            ),
            (
                "{a} tied {his} {colour} scarf round the knee of {b}.",
                "{a} washed the knee and tied {his} {colour} scarf round it.",
            ),
            (
                "Then {a} let {b} lean on {his} arm, all the way home.",
                "Slowly, slowly, {a} walked {b} home.",
            ),
            (
                'The next day {b} brought the {colour} scarf back, washed and folded. "Thank you," said {b}.',
                "A week later {b} could run again, and the first race was run with {a}.",
            ),
        ],
    ),
    (
        "It was too late for the {place}, but {a} did not mind.",
        "{a} came late to the {place} that day, and did not mind a bit.",
        "And then they went to the {place} together.",
    ),
]

GROW: list[Beat] = [
    (
        "In spring {elder} gave {a} a tiny {plant} seed.",
        "{a} got a {plant} seed from {elder}.",
        '"This will be a {plant} one day," said {elder}, and put a seed in the hand of {a}.',
    ),
    (
        "{a} put the seed into a pot of dark soil.",
        "{a} made a hole with one finger and dropped the seed in.",
        "Behind the house {a} dug a small hole for the seed.",
    ),
    (
        "Every morning {he} gave it water and said hello.",
        "Every day {he} watered it and sang to it.",
        "{a} watered it each day before breakfast.",
    ),
    (
        "A week went by, and nothing happened.",
        "For a long time there was nothing to see.",
        "But the soil stayed bare, and {a} grew sad.",
    ),
    (
        '"Be patient," said {elder}. "It is working in the dark."',
        '"Seeds are slow," said {elder}, "but they never forget."',
    ),
    (
        "Then, one warm morning, there was a green tip.",
        "After the rain, a small green leaf looked out.",
        "And on {day} two little leaves were there.",
    ),
    (
        [
            (
                "By summer the {plant} was as tall as {a}.",
                "All summer the {plant} grew, until it reached the window.",
            ),
            (
                '"We grew it together," {a} told {elder}.',
                '"You were right," said {a} to {elder}.',
                "{a} and {elder} sat beside it in the evening sun.",
            ),
        ],
        [
            (
                "But {an_animal} came and began to nibble at the {plant}.",
                "Then {an_animal} came along and looked at the {plant} hungrily.",
            ),
            (
                "{a} gave the {animal} some bread instead, and it left the leaves alone.",
                "{a} built a little roof of sticks, and the {animal} went away.",
            ),
            (
                "In autumn {a} kept one seed of the {plant} for next year, just as {elder} had done.",
                "That autumn {a} gave {elder} a new {plant} seed.",
            ),
        ],
    ),
]
BAKE: list[Beat] = [
    (
        "{a} baked {many} {bakes}.",
        "One rainy {day} {a} baked {many} {bakes}.",
        "{a} and {elder} were in the kitchen. {a} baked {many} {bakes}, and {elder} washed up.",
        "The kitchen smelled wonderful, for {a} had baked {many} {bakes}.",
    ),
    (
        "They were round and crisp and still warm.",
        "They were so good that the whole street could smell them.",
        "{a} set them by the window to cool.",
        "",
    ),
    (
        "Then {b} knocked at the door.",
        "Soon {b} came by with wet shoes and a cold nose.",
        "{b} looked in through the window.",
    ),
    (
        '"Are those {bakes}?" asked {b}.',
        '"I have not eaten all day," said {b}.',
        '"Something smells like heaven," said {b}.',
    ),
    (
        "{a} smiled and gave {some} {bakes} to {b}.",
        "So {a} gave {some} of them to {b}.",
    ),
    (
        [
            (
                "Now {a} had {rest} {bakes} left.",
                "On the plate there were {rest} {bakes} left.",
                "There were {rest} {bakes} left.",
            ),
        ],
        [
            (
                "Then {a} ate {few} of them, because baking makes you hungry.",
                "Later {a} ate {few} {bakes} with a cup of milk.",
            ),
            (
                "In the end there were {last} {bakes} left.",
                "In the evening {a} had {last} {bakes} left.",
            ),
        ],
    ),
    (
        "They tasted better because they were shared.",
        "{b} came back the next day with flowers for {a}.",
        '"Next time I will bake for you," said {b} to {a}.',
        "And {a} and {b} sat by the oven until the rain stopped.",
    ),
]

GATHER: list[Beat] = [
    (
        "{a} picked {many} {fruits} at the {place}.",
        "Early on {day} {a} went to the {place} and picked {many} {fruits}.",
        "{a} had a basket. At the {place} {he} picked {many} {fruits}.",
    ),
    (
        "The basket was heavy, and the road was long.",
        "They were ripe and sweet, and the sun was hot.",
        "{He} counted them twice to be sure.",
    ),
    (
        [
            (
                "On the way home {a} met {b}, who looked hungry.",
                "Halfway home {a} met {b}.",
            ),
            (
                "{a} gave {some} {fruits} to {b}.",
                '"Have some," said {a}, and gave {some} {fruits} to {b}.',
            ),
            (
                '"How sweet they are!" said {b}.',
                "{b} ate the first one at once, and juice ran down {bhis} chin.",
            ),
            (
                "{a} walked on with a lighter basket, and {b} waved.",
                "{b} carried the basket for {a} the rest of the way.",
            ),
        ],
        [
            (
                "On the way home {a} met {an_animal}.",
                "But {an_animal} was waiting on the path.",
            ),
            (
                "The {animal} looked at the basket with big eyes.",
                "It looked so thin that {a} felt sorry for the {animal}.",
            ),
            (
                "{a} gave {some} {fruits} to the {animal}.",
                "So {a} gave {some} of them to the {animal}.",
            ),
            (
                "The {animal} ate them up and danced for joy.",
                "It ate slowly, and then it rubbed against {his} leg.",
            ),
        ],
        [
            (
                "On the way home {he} tripped over a root.",
                "But there was a hole in the basket.",
            ),
            (
                "{a} lost {some} {fruits} in the tall grass.",
                "Before {he} noticed, {a} had lost {some} {fruits}.",
            ),
            (
                "{a} looked for them, but they had rolled away.",
                '"The birds will be glad of them," thought {a}.',
            ),
        ],
    ),
    (
        "At home {a} had {rest} {fruits} left.",
        "At the door {he} counted again: there were {rest} {fruits} left.",
        "So there were {rest} {fruits} left for supper.",
    ),
    (
        "They were just enough for a small cake.",
        '"That is plenty," said {a}.',
        "And they were the sweetest of the year.",
    ),
]

RACE: list[Beat] = [
    (
        "{a} and {b} ran a race to the {place}.",
        '"Who will be first at the {place}?" called {b} to {a}.',
        "On {day} there was a race to the {place}. {a} and {b} stood at the start.",
    ),
    (
        "{b} was fast as the wind.",
        "{b} had long legs and never looked back.",
        "{b} was in front from the first step.",
    ),
    (
        "{a} was slower, but {he} did not give up.",
        "{a} ran at {his} own pace and breathed slowly.",
    ),
    (
        [
            (
                "Halfway, {b} stopped to rest {spot}.",
                "{b} felt so sure that {bhe} lay down {spot} and closed {bhis} eyes.",
            ),
            (
                "{a} ran on and on, past {b}.",
                "On tiptoe, {a} ran past {b}.",
            ),
            (
                "So {a} was the first at the {place}.",
                "And that is how {a} won the race.",
            ),
            (
                '"I slept too long!" said {b}, and had to laugh.',
                '"You never stopped," said {b}. "Well done, {a}!"',
            ),
        ],
        [
            (
                "Suddenly there was a cry: {an_animal} was stuck in a net.",
                "Then {a} heard {an_animal} that was caught in a net.",
            ),
            (
                "{a} stopped at once and set the {animal} free.",
                "{a} forgot the race and knelt down by the {animal}.",
            ),
            (
                "{b} won the race, but nobody was there to cheer.",
                "So {b} was the first at the {place}, and waited and waited.",
            ),
            (
                '"You helped the {animal}," said {b} to {a}. "You are the real winner."',
                "When {b} heard about the {animal}, {bhe} gave {a} half of the prize.",
            ),
        ],
    ),
]

MEND: list[Beat] = [
    (
        "{b} had {a_colour} {thing}, and it was {bhis} treasure.",
        "{b} had {a_colour} {thing} that nobody else was allowed to touch.",
        "{b} was very proud of {bhis} {colour} {thing}.",
    ),
    (
        "One day {a} borrowed it without asking.",
        "{a} wanted to hold it for just a moment.",
        "On {day}, when nobody was looking, {a} picked it up.",
    ),
    (
        "It slipped out of {his} hands. Crack!",
        "Then {a} stumbled, and the {thing} fell to the floor.",
        "But {a} was careless, and the {thing} broke.",
    ),
    (
        "{a} wanted to hide it and say nothing.",
        '"Maybe nobody will notice," thought {a}.',
        "{a} went red, and {his} heart beat fast.",
    ),
    (
        "But {a} took a deep breath and went to {b}.",
        "But a lie is heavier than a stone, so {a} went to {b}.",
    ),
    (
        '"I broke your {thing}," said {a}. "I am so sorry."',
        '"It was me," said {a}. "I will mend it, I promise."',
    ),
    (
        "{b} was sad, but {bhe} was not angry.",
        '"Thank you for telling me," said {b}.',
        "For a while {b} said nothing.",
    ),
    (
        "{a} and {b} took glue and string and mended the {colour} {thing}.",
        "All evening {a} and {b} glued the {colour} {thing} together.",
    ),
    (
        "You could still see the crack, and {b} liked it even better.",
        '"Now it has a story," said {b}.',
        "Next time {a} asked first, and {b} said yes.",
    ),
]

SECRET: list[Beat] = [
    (
        "{a} had a secret.",
        "{a} knew something that nobody else knew.",
        "On {day} {a} came home from the {place} with a secret.",
    ),
    (
        "At the {place}, {spot}, lived {an_animal} with three little ones.",
        "At the {place}, {spot}, {a} had found {an_animal} asleep.",
        "{Spot}, at the {place}, {an_animal} had made its home.",
    ),
    (
        "{a} told nobody, for the {animal} was shy.",
        "It was so small and so quiet that {he} hardly dared to breathe.",
        "Every day {he} brought the {animal} something to eat and went away on tiptoe.",
    ),
    (
        '"Where do you always go?" asked {b}.',
        "But {b} saw {a} leave and wondered.",
        '"You are hiding something," said {b} to {a}.',
    ),
    (
        '"Can you keep a secret?" asked {a}.',
        "{a} thought for a long time. Then {a} took {b} by the hand.",
    ),
    (
        "{a} led {b} to the {place}, and they lay down in the grass.",
        "Without a sound, {a} and {b} crept to the {place}.",
    ),
    (
        "When {b} saw the {animal}, {bhis} eyes grew wide.",
        "The {animal} looked up, and it was not afraid.",
        '"Oh," whispered {b}. That was all.',
    ),
    (
        "Now the secret belonged to two, and it was twice as good.",
        "And {b} never told anyone, not even {elder}. {elder} only wondered about the grass on their knees.",
        "Since then {a} and {b} have kept the secret together.",
    ),
]

REPAIR: list[Beat] = [
    (
        "{a} had {a_colour} {thing}, but it was broken.",
        "One morning {a} found {his} {colour} {thing} broken.",
        "{a} had {a_colour} {thing} that did not work any more.",
    ),
    (
        "{He} had dropped it on the stairs.",
        "It had been out in the rain all night.",
        "It was older than {a}, and it had been mended twice before.",
    ),
    (
        '"Throw it away," said {b}.',
        '"You need a new one," said {b}.',
        '{b} shook {bhis} head. "It is too late for that," {bhe} said.',
    ),
    (
        "But {a} could not do that.",
        '"Not yet," said {a}.',
        "{a} held it tight and ran to {elder}.",
    ),
    (
        "{elder} put on {ehis} glasses and looked at the {thing} from all sides.",
        '{elder} turned the {thing} over. "I have seen worse," {ehe} said.',
    ),
    (
        "A drop of glue, two small nails, a bit of thread.",
        "{elder} showed {a} how to hold the needle, and how to wait for the glue.",
        "{a} held the lamp while {elder} worked.",
    ),
    (
        "At last {elder} nodded. The {colour} {thing} was as good as new.",
        "When the moon rose, the {colour} {thing} was whole again, and {elder} smiled.",
    ),
    (
        '"Can you mend my shoes too?" asked {b}.',
        "{b} looked at it and could not find the crack.",
        'The next day {b} came with a broken toy. "Show me how," said {b}.',
    ),
    (
        "And {a} showed {b} how it is done.",
        '"Come in," said {a}, and fetched the glue.',
        "So {a} and {b} opened a little workshop.",
    ),
]

NIGHT: list[Beat] = [
    (
        "In the middle of the night {a} woke up.",
        "It was late, and {a} could not sleep.",
        "The moon was up, and the house was quiet. Only {a} was awake.",
    ),
    (
        "There it was again: tap, tap, tap.",
        "Scratch, scratch, went something at the window.",
        "Something was rustling in the dark.",
    ),
    (
        "{a} pulled the covers over {his} head.",
        "{a} held {his} breath and listened.",
        "{His} heart beat like rain on a roof.",
    ),
    (
        '"{b}," {a} whispered, "do you hear it too?"',
        "{a} woke {b}, who was staying for the night.",
    ),
    (
        '"It is a ghost," whispered {b}.',
        '"Let us look together," said {b}.',
        "{b} took {a} by the hand.",
    ),
    (
        "On bare feet {a} and {b} went down the stairs.",
        "Step by step, {a} and {b} crept to the door.",
    ),
    (
        [
            (
                "It was only {an_animal}, looking for something to eat!",
                "And there sat {an_animal}, with crumbs all over its face.",
            ),
            (
                "The {animal} was more afraid than they were.",
                "The {animal} blinked at them and went on eating.",
            ),
            (
                '"Good night, ghost," said {a}, and {b} laughed until it hurt.',
                "{a} gave the {animal} a bit of bread, and {b} shut the door softly.",
            ),
        ],
        [
            (
                "It was only {elder}, who could not sleep either!",
                "There stood {elder} in the kitchen, looking for a spoon.",
            ),
            (
                "{elder} was making warm milk with honey.",
                '{elder} put a finger to {ehis} lips. "Who wants warm milk?" asked {elder}.',
            ),
            (
                "So {a} and {b} drank warm milk and were not afraid any more.",
                "And at midnight {a}, {b} and {elder} had a little feast.",
            ),
        ],
    ),
]

SHY: list[Beat] = [
    (
        "{b} was new, and {bhe} did not know anyone.",
        "{b} had just moved in next door.",
        "On {day} a new family came to the village, with a child called {b}.",
    ),
    (
        "At the {place}, {b} stood alone and looked at {bhis} shoes.",
        "{b} watched the others play at the {place}, and said nothing.",
    ),
    (
        "{a} saw it, and remembered how that feels.",
        "{a} stopped playing and thought for a moment.",
        "{a} was a bit shy too.",
    ),
    (
        [
            (
                'So {he} held out {his} {colour} {thing}. "Do you want to try it?"',
                "So {he} picked up {his} {colour} {thing} and went over.",
            ),
            (
                '"I have never had {a_thing}," said {b}.',
                '"Is that {a_colour} {thing}?" asked {b}.',
            ),
            (
                "{a} showed {b} how to hold the {thing}.",
                "{a} let {b} have the first turn with the {thing}.",
            ),
        ],
        [
            (
                "So {he} broke a warm loaf in two.",
                "So {he} took two {fruits} out of {his} bag.",
            ),
            (
                '"One for you and one for me," said {a}.',
                '"I cannot eat all this alone," said {a}.',
            ),
            (
                "{b} looked up for the first time.",
                "They ate without a word, and it was a good silence.",
            ),
        ],
    ),
    (
        "Soon {a} and {b} were laughing as if they had known each other for years.",
        "By evening {b} had a friend, and so had {a}.",
        '"See you tomorrow?" asked {b}. "Tomorrow," said {a}.',
    ),
]

RESCUE: list[Beat] = [
    (
        "One morning {a} heard a small cry from the {place}.",
        "On the way to the {place} {a} heard a strange sound.",
        "{a} was at the {place} when something squeaked.",
    ),
    (
        "{An_animal} was stuck {spot}.",
        "There, {spot}, sat {an_animal} that could not get out.",
    ),
    (
        "{a} tried to lift the {animal}, but {his} arms were too short.",
        "The {animal} was so frightened that it would not come to {a}.",
    ),
    (
        "{a} ran to fetch {b}.",
        '"Help!" called {a}, and {b} came running.',
    ),
    (
        [
            (
                "{b} brought a rope and {a_colour} blanket.",
                "{b} had a rope and {a_colour} blanket.",
            ),
            (
                "They put the blanket down, and the {animal} jumped right into it.",
                "They wrapped the {animal} in the {colour} blanket and lifted it out.",
            ),
        ],
        [
            (
                "{b} had some {fruits} in {bhis} bag.",
                '"It must be hungry," said {b}, and took out some {fruits}.',
            ),
            (
                "They laid the {fruits} in a row, and the {animal} came out, bite by bite.",
                "One by one the {animal} ate the {fruits}, and came closer each time.",
            ),
        ],
    ),
    (
        "It shook itself and looked at them as if to say thank you.",
        "The {animal} was safe, and not even scratched.",
    ),
    (
        "The next morning the {animal} was waiting at the door of {a}.",
        "{a} and {b} went to see the {animal} every {day}.",
        '"We are a good team," said {a} to {b}.',
    ),
]

SNOW: list[Beat] = [
    (
        "{a} woke up, and the world was white.",
        "It snowed all night, and in the morning {a} could not find the path.",
        "In the night the first snow had fallen, and {a} was the first to see it.",
    ),
    (
        "{a} called {b}, and they ran out to the {place}.",
        "{a} and {b} met at the {place} with red noses.",
    ),
    (
        "They built a snowman that was taller than both of them.",
        "They made a snowman with stones for eyes and a stick for a nose.",
        "They rolled and pushed until a fat snowman stood there.",
    ),
    (
        '"It looks cold," said {b}.',
        '"Something is missing," said {b}.',
    ),
    (
        "So {a} took off {his} {colour} {wear} and put it on the snowman.",
        "So {a} ran home and came back with {a_colour} {wear} for the snowman.",
    ),
    (
        "All night long the snowman kept the {colour} {wear} safe.",
        "In the evening the {colour} {wear} was covered with stars of ice.",
    ),
    (
        [
            (
                "But then the sun came, and day by day the snowman grew smaller.",
                "After a week it grew warm, and the snowman began to drip.",
            ),
            (
                "In the end only the {wear} lay in the grass.",
                "One morning there was only a puddle and the {colour} {wear}.",
            ),
            (
                '"It will come back next year," said {a} to {b}.',
                "{a} washed the {wear} and kept it for next winter, and {b} kept the stones.",
            ),
        ],
        [
            (
                "The next day {an_animal} was asleep in the {wear}.",
                "The next morning {an_animal} had crept under the {wear}.",
            ),
            (
                '"Let it keep the {wear}," said {a}, and {b} nodded.',
                "{a} and {b} let the {animal} sleep, and went home on tiptoe.",
            ),
        ],
    ),
]

SELL: list[Beat] = [
    (
        "{a} had {many} {fruits} to sell.",
        "{a} had {many} {fruits} in a basket and wanted to sell them.",
    ),
    (
        "On {day} {he} sat down at the {place} and waited.",
        "{He} sat at the {place} from morning on.",
        "{a} went to the {place} and called out, but nobody stopped.",
    ),
    (
        "First nobody came. Then {b} stopped.",
        "After an hour {b} came along the road.",
    ),
    (
        '"What fine {fruits}!" said {b}.',
        '"Are they sweet?" asked {b}.',
        '"My mother loves {fruits}," said {b}.',
    ),
    ("{a} sold {some} {fruits} to {b}.", "So {a} sold {some} of them to {b}."),
    (
        "Then a gust of wind came, and {a} lost {few} {fruits} in the mud.",
        "Later {a} ate {few} of them, because {he} was hungry.",
        "After that {a} gave {few} {fruits} to an old man who had no money.",
    ),
    (
        "In the evening {a} had {last} {fruits} left.",
        "When the sun went down, there were {last} {fruits} left.",
    ),
    (
        '"Not bad for a first day," said {a}.',
        "With the coins {a} bought a loaf of bread, and {b} got the first slice.",
        "{a} carried them home with a song, and waved to {b}.",
    ),
]

PLOTS: dict[str, list[Beat]] = {
    "lost": LOST,
    "gift": GIFT,
    "trade": TRADE,
    "storm": STORM,
    "help": HELP,
    "grow": GROW,
    "bake": BAKE,
    "gather": GATHER,
    "race": RACE,
    "mend": MEND,
    "secret": SECRET,
    "repair": REPAIR,
    "night": NIGHT,
    "shy": SHY,
    "rescue": RESCUE,
    "snow": SNOW,
    "sell": SELL,
}
