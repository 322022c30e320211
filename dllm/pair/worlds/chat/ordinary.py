"""What people ask that no world can answer: questions of every day, as templates with a few words to choose from."""

from random import Random

WORDS = {
    "country": "France Spain Italy Japan China India Brazil Canada Mexico Egypt Kenya Peru Norway Sweden Poland Greece "
    "Turkey Chile Cuba Ireland Portugal Vietnam Thailand Nepal".split(),
    "city": "London Paris Rome Berlin Madrid Tokyo Oslo Vienna Lisbon Dublin Moscow Cairo Delhi Sydney Boston "
    "Chicago".split(),
    "language": "French German Spanish Italian Latin Russian Chinese Japanese Arabic Dutch Polish Greek Turkish "
    "Hindi".split(),
    "person": "Einstein Newton Mozart Picasso Darwin Shakespeare Napoleon Cleopatra Beethoven Galileo Gandhi "
    "Columbus".split(),
    "planet": "Mars Venus Jupiter Saturn Mercury Neptune Uranus".split(),
    "sport": "football tennis basketball golf chess hockey rugby baseball volleyball cricket".split(),
    "element": "oxygen hydrogen carbon helium nitrogen gold iron lead uranium neon".split(),
    "body": "heart liver brain stomach skin blood lung kidney ear eye".split(),
    "topic": "physics history politics economics religion philosophy biology chemistry law medicine geography "
    "astronomy".split(),
    "machine": "computer phone printer fridge engine car battery router laptop dishwasher".split(),
    "program": "Python Java Excel Linux Windows Word JavaScript SQL Git Photoshop".split(),
    "company": "Google Apple Amazon Tesla Toyota Nike Boeing Sony".split(),
    "dish": "pizza pasta sushi lasagne curry omelette risotto hummus".split(),
    "ill": "a headache|a fever|a cough|back pain|the flu|a broken arm|a toothache".split("|"),
    "film": "Titanic|Star Wars|Avatar|The Matrix|Frozen|Casablanca".split("|"),
    "year": "1066 1492 1789 1815 1914 1945 1969 1989 2001".split(),
    "verse": "poem|haiku|limerick|song|rap|sonnet|rhyme".split("|"),
    "subject": "love|autumn|the sea|my cat|freedom|rain|the stars|my mother|money|winter".split("|"),
    "mood": "sad lonely angry tired nervous bored stressed".split(),
}
TEMPLATES = """
What is the capital of {country}?|How many people live in {country}?|Who is the president of {country}?|What language do they speak in {country}?|Where is {country}?|How big is {country}?|What money do they use in {country}?|When did {country} become independent?|What is the flag of {country} like?|Is {country} in Europe?|What do people eat in {country}?|Which countries border {country}?|Do I need a visa for {country}?|What is the highest mountain in {country}?|How far is {country} from here?
What is the weather in {city}?|How do I get to {city}?|How old is {city}?|What can I see in {city}?|How many people live in {city}?|What time is it in {city}?|Book me a flight to {city}.|Find me a hotel in {city}.|Is it cold in {city} now?|Which river flows through {city}?|How far is it from {city} to Prague?|What is {city} known for?
How do you say hello in {language}?|Translate this into {language}.|Can you speak {language}?|Teach me some {language}.|What does bonjour mean?|Say something in {language}.|How do I write my name in {language}?|Is {language} hard to learn?|Translate good night into {language}, please.|Parlez-vous français?|Sprechen Sie Deutsch?|¿Hablas español?|Wie geht es dir?|Comment ça va?|Was kannst du?|Hola, ¿qué tal?|Ciao, come stai?
Who was {person}?|When was {person} born?|What did {person} do?|Where did {person} live?|How did {person} die?|Why is {person} famous?|Tell me three facts on {person}.|Was {person} married?|Did {person} win a prize?
How far away is {planet}?|How big is {planet}?|Is there life on {planet}?|How many moons has {planet}?|How hot is {planet}?|Can people live on {planet}?|Who discovered {planet}?
Who won the {sport} game yesterday?|What are the rules of {sport}?|How long does a {sport} match take?|Who is the best {sport} player?|How do I get better at {sport}?|When does the {sport} season begin?
What is the symbol of {element}?|How heavy is {element}?|What is {element} used for?|Is {element} dangerous?|At what heat does {element} melt?
What does the {body} do?|Why does my {body} hurt?|How big is the human {body}?|How does the {body} work?|What should I do about {ill}?|I have {ill}, can you help?|Which pill is good against {ill}?|Should I see a doctor with {ill}?|How long does {ill} last?
Explain {topic} to me.|What is {topic}?|Help me with my {topic} homework.|Give me a quiz on {topic}.|Who invented {topic}?|Recommend a good {topic} course.|Write an essay on {topic}.|What is the newest research in {topic}?
My {machine} is broken, what now?|Which {machine} should I buy?|How does a {machine} work?|Who invented the {machine}?|How much does a {machine} cost?|Why is my {machine} so slow?|How do I clean my {machine}?|Is it safe to repair a {machine} myself?
How do I install {program}?|What is {program}?|Is {program} better than C++?|Write a web server in {program}.|Where can I learn {program}?|Fix my {program} code.|Show me how to draw a chart with {program}.
What is the share price of {company}?|Who founded {company}?|Where is {company} based?|How many people work for {company}?|Should I invest in {company}?|How do I apply at {company}?
How do I make {dish}?|How many calories has {dish}?|Where does {dish} come from?|Is {dish} healthy?|Order me some {dish}.|What wine goes with {dish}?
Who directed {film}?|Is {film} a good film?|What happens at the end of {film}?|When did {film} come out?|Who plays the main role in {film}?
What happened in {year}?|Who was king in {year}?|Was there a war in {year}?|Who won the world cup in {year}?
Write me a {verse}.|Write a {verse} on {subject}.|Can you sing a {verse}?|I need a {verse} for my wedding.|Make a {verse} that rhymes.|Recite a famous {verse}.
I feel {mood}, what should I do?|Why am I so {mood}?|Can you help me, I am {mood}.|What helps when one is {mood}?
What is the meaning of life?|Is there a god?|What is love?|How old are you?|Where do you live?|Are you a human?|Who made you?|Do you dream?|Do you have feelings?|What is your favourite film?|Are you conscious?|Do you know me?|What model are you?|How many parameters do you have?|Who are your parents?|Can you see me?|Do you like me?|Will you marry me?|Are you better than ChatGPT?|Do you remember what I said yesterday?
What is the square root of 144?|What is 17 times 23?|Solve x squared equals nine.|What is the integral of x?|How many seconds are in a year?|What is pi?|Is 91 a prime number?|What is twelve percent of 80?|Convert ten miles to kilometres.|What is the area of a circle?
What is the news today?|Who won the election?|What is the date?|What time is it?|Will it rain tomorrow?|How is the traffic?|Is the museum open on holidays?|What is on television tonight?|Which day is it?|How much is a dollar in euros?
How do I lose weight?|How do I tie a tie?|How do I get rid of ants?|How do I change a tyre?|How do I open a bank account?|How do I write a good CV?|How do I fall asleep faster?|How do I stop smoking?|How do I remove a stain?|How do I save tax?|How do I train my puppy?|How long do I boil an egg?|How do I make friends?|How do I learn faster?|How do I iron a shirt?
Why is the sky blue?|Why is the sea salty?|Why do we sleep?|Why do leaves fall?|Why is grass green?|Why do cats purr?|Why do we have seasons?|Why is ice slippery?|Why do planes fly?|Why does the moon change?
How tall is Mount Everest?|How deep is the ocean?|How fast is light?|How long is the Nile?|How heavy is an elephant?|How many bones do we have?|How old is the earth?|How many stars are there?|How long do whales live?|How many languages are there?
Who wrote Hamlet?|Who painted the Mona Lisa?|Who invented the telephone?|Who was the first man on the moon?|Who built the pyramids?|Who discovered America?|Who is the pope?|Who wrote the Bible?|Who composed the Moonlight Sonata?|Who is the richest man?
Summarise this article for me.|Correct my spelling, please.|Write an email to my boss.|Plan my holiday.|Write a speech for my father.|Give me a password.|Draw me a picture.|Play some music.|Set an alarm for seven.|Call my mother.|Turn on the light.|Send a message to my friend.|Remind me to buy bread.|Search the web for shoes.|Open the window.|Read me the newspaper.|Book a table for tonight.|Find a cheap flight.|Compare these contracts.|Write my application.
Which is the best film ever?|Which party should I vote for?|Which car is the safest?|Which book should I read next?|Which stocks will rise?|Which vitamins do I need?|Which university is the best?|Which animal is the fastest?|Which is the longest river?|Which metal is the hardest?
Is coffee healthy?|Is the earth flat?|Is climate change real?|Is it safe to fly?|Is sugar bad for me?|Is my data safe?|Is nuclear power good?|Is this email spam?|Is water wet?|Is a tomato a fruit?
""".strip()
ASKS = tuple(ask for line in TEMPLATES.split("\n") for ask in line.split("|"))


def ordinary(rng: Random) -> str:
    """One of those questions."""
    return rng.choice(ASKS).format_map({name: rng.choice(words) for name, words in WORDS.items()})
