"""Short texts that a record can be made of."""

TEXT = """
= person: lives in|this is|with a pet|in a town
= order: bought|ordered|please send|will pay
= event: invites|there is|begins|of somebody
= lost: was lost|lost at|has anyone seen|for the finder
= visit: will visit|comes to|is expected
= worker: works as|the worker|looking for

## lives in
{a} is {age} years old and lives in {town}.
{He} has a {animal} and likes {fruits}.
## this is
This is {a} from {town}.
{He} is {age} years old, loves {fruits} and has a {animal}.
## with a pet
{a} lives in {town} with {his} {animal}.
{He} is {age} years old.
{He} likes {fruits} best.
## in a town
In {town} lives {a}, who is {age} years old.
{His} pet is a {animal}, and {fruits} are {his} favourite food.
## bought
On {day} {a} bought {amount} {fruits} for {coins} coins.
## ordered
{a} ordered {amount} {fruits}.
They cost {coins} coins and come on {day}.
## please send
Please send {amount} {fruits} to {a} on {day}.
The price is {coins} coins.
## will pay
{a} will pay {coins} coins for {amount} {fruits} on {day}.
## invites
{a} invites you to a {event} at the {place} on {day} at {clock} o'clock.
## there is
There is a {event} on {day}!
Come to the {place} at {clock} o'clock and ask for {a}.
## begins
On {day} at {clock} o'clock the {event} begins at the {place}.
{a} is the host.
## of somebody
The {event} of {a} is at the {place}, on {day} at {clock} o'clock.
## was lost
{a} lost a {colour} {thing} at the {place}.
The reward is {coins} coins.
## lost at
Lost at the {place}: a {colour} {thing}.
{a} will give {coins} coins to the finder.
## has anyone seen
Has anyone seen a {colour} {thing}?
It belongs to {a}, was lost at the {place}, and brings {coins} coins.
## for the finder
{coins} coins for the {colour} {thing} that {a} lost at the {place}!
## will visit
On {day} {a} will visit {elder} in {town} at {clock} o'clock.
## comes to
{a} comes to {town} on {day} at {clock} o'clock.
{elder} is waiting there.
## is expected
In {town}, {elder} expects {a} on {day}.
The train comes at {clock} o'clock.
## works as
{a} works as a {job} in {town}.
{He} is {age} years old and likes to {skill}.
## the worker
The {job} of {town} is called {a}.
At {age} years {he} still likes to {skill}.
## looking for
{town} has a new {job}.
It is {a}, {age} years old, who likes to {skill}.
"""
