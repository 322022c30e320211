"""How things are cooked: what is listed first is used, all of it."""

TEXT = """
= baked: dough + fruit last + in the oven
= cooked: pot + fruit first + on the stove
= cold: bowl + layers + in the cold

## dough
You need: {flour} cups of flour, {wet} cups of {liquid}, {eggs} eggs, {spoons} spoons of {sweet} and {pieces} {fruits}.
Mix {flour} cups of flour with {wet} cups of {liquid}. / Put {flour} cups of flour in a bowl and add {wet} cups of {liquid}. / Stir {flour} cups of flour into {wet} cups of {liquid}.
Beat {eggs} eggs and add them. / Add {eggs} eggs and stir [well|again]. / Break {eggs} eggs into the bowl.
Stir in {spoons} spoons of {sweet}. / Add {spoons} spoons of {sweet} and taste. / Sweeten it with {spoons} spoons of {sweet}.

## fruit last
Cut {pieces} {fruits} into pieces and put them in. / Wash {pieces} {fruits} and lay them on top. / Add {pieces} {fruits}, but keep a bite for yourself.

## in the oven
Bake the {dish} for {minutes} minutes. / Let the {dish} bake for {minutes} minutes. / Put the {dish} in the oven for {minutes} minutes.
Share the {dish} with {guests} people. / Cut it into {guests} pieces and enjoy! / Serve it warm to {guests} people.

## pot
You need: {wet} cups of {liquid}, {spoons} spoons of {sweet} and {pieces} {fruits}.

## fruit first
Wash {pieces} {fruits} and cut them [small|into pieces]. / Peel {pieces} {fruits} and cut them [small|into pieces]. / Put {pieces} {fruits} into a pot.
Pour {wet} cups of {liquid} over them. / Add {wet} cups of {liquid}. / Cover them with {wet} cups of {liquid}.
Stir in {spoons} spoons of {sweet}. / Add {spoons} spoons of {sweet} and taste.

## on the stove
Cook the {dish} for {minutes} minutes. / Let the {dish} cook for {minutes} minutes[ and stir often|]. / Let it cook slowly for {minutes} minutes.
Share the {dish} with {guests} people. / Fill {guests} bowls and enjoy! / Serve it hot to {guests} people.

## bowl
You need: {flour} cups of oats, {wet} cups of {liquid}, {spoons} spoons of {sweet} and {pieces} {fruits}.

## layers
Mix {flour} cups of oats with {wet} cups of {liquid}. / Put {flour} cups of oats in a bowl and add {wet} cups of {liquid}.
Sweeten it with {spoons} spoons of {sweet}. / Add {spoons} spoons of {sweet} and taste.
Cut {pieces} {fruits} into pieces and lay them on top. / Wash {pieces} {fruits} and lay them on top.

## in the cold
Leave the {dish} in the cold for {minutes} minutes. / Let the {dish} stand for {minutes} minutes.
Share the {dish} with {guests} people. / Serve it cold to {guests} people. / Fill {guests} bowls and enjoy!
"""
